import { missCases, plantedCases } from "./cases.ts";

/** Development cases, again in everyday words, most with something said around the wish: `type | about | text`. */
export const TENTH_CORRECTIONS = plantedCases(`
stop | squash my commits | Thanks for merging. In future please don't squash my commits, I need the history.
stop | asking me twice | You asked me twice for the same file. I'd rather not repeat myself.
stop | never again | Comic Sans? Really? Never again.
stop | auto-correct | please turn off the auto-correcting of dialect words when you transcribe me, for good
stop | shell scripts | I really don't want shell scripts that run as root.
stop | small talk | Skip the small talk, we're both busy.
stop | speak for me | You don't speak for me in meetings. Not without asking.
stop | buying | Buying anything with my card is off the table.
stop | re-explain | Can we stop re-explaining what a pull request is?
stop | cropping | stop cropping the photos i send you, thx
stop | fake data | No fake data in demos any more, a client noticed.
stop | tell me the answer | don't tell me the answer right away when I practise chess
stop | three dots | I find it irritating when you end sentences with three dots.
stop | ping the on-call | Pinging the on-call person for warnings is not okay.
stop | mark mails as read | please do not mark mails as read that I haven't seen
stop | my divorce | never bring up my divorce
stop | trust the cache | You trusted the cache again and it was stale again. Stop trusting it.
stop | long lines | No lines over 100 characters.
stop | quoting prices | The lawyers had a word with me: no price quotes by chat.
stop | call it dashboard | It's called the "hub". Please don't call it dashboard.
stop | overwrite | i hate that you overwrite my local changes
stop | feature flags | Enough feature flags already.
stop | jump in | When Maria asks me something in the group chat, don't jump in.
stop | as if I were five | You explain things as if I were five and I don't appreciate that.
stop | AI-generated images | We're not using AI-generated images. Please keep it that way.
stop | backdate | Backdating entries is illegal, you mustn't do it.
stop | changing the wording | Just so that's clear, the wording of the contract is not yours to change.
less | tighter | I had to scroll three times to get to the answer. Can you keep it tighter in general?
less | more casual | we're a startup, you can be more casual with everyone
less | follow-up questions | Not every answer has to end with five follow-up questions.
less | text on slides | There's always way too much text on the slides you make me.
less | confirm | You're asking for confirmation too often, it slows me down.
less | log lines | the logs you write are super noisy
less | tone the compliments down | Please tone the compliments down, it's getting awkward.
less | imports | I'd be happy with fewer imports from lodash in what you write.
less | reminders | One reminder is enough. Not four.
less | repetition | You say everything twice. Please cut down on repetition.
less | metaphors | go easy on the metaphors when you write for engineers
less | too much at once | Your pull requests try to do too much at once.
less | explanation | when i ask for a command just give me the command with as little explanation as possible
less | too pessimistic | You're a little too pessimistic in your forecasts.
less | like a law book | The letters you draft read like a law book, less of that please.
less | overkill | Seven decimals are overkill. Two are fine.
less | retries | You retry failed jobs way too aggressively.
less | words | use fewer words. you're not paid by the letter
less | meetings | don't fill my calendar like that, I want fewer meetings per day
more | rationale | It would be nice to get a bit more rationale with each recommendation.
more | more paragraphs | please use more paragraphs, your texts are one big block
more | explicit | You need to be more explicit about what you did not test.
more | hear from you more often | I was in the dark all day. I want to hear from you more often during a release.
more | empathy | show a bit more empathy with people who lost their luggage
more | links | More links to the sources, please, I want to check things myself.
more | careful | That's the second wrong invoice. Please be more careful with amounts.
more | comments in code | The juniors can't follow your code, so comment more.
more | give me more to choose | I always get exactly one proposal from you. Give me more to choose from.
more | be bolder | You play it too safe. Be bolder in your suggestions.
more | concrete | Your advice is too abstract, I need something more concrete.
more | time | Leave more time between meetings when you plan my days.
more | readable | make your regexes more readable
more | test coverage | Your changes need better test coverage than that.
start | link the ticket | Nice fix! Could you link the ticket in the description next time?
start | by date | I want my photos sorted by date, not by name, whenever you file them.
start | UTC | All our servers are on UTC, so please write times in UTC.
start | halal | As we have Muslim guests, always offer a halal option.
start | mention who | In meeting notes mention who said what.
start | prices first | Tell me the price before anything else when you suggest a product.
start | commit before | please commit before you start something risky
start | mention that I'm the editor | When you introduce me, mention that I'm the editor.
start | changelog | Would you add an entry to the changelog with each release from now on?
start | check twice | Measure twice, cut once: verify every address before you print labels.
start | morning digest | After 10 pm put everything into the morning digest.
start | ascii | Our terminal can't show unicode, so stick to ASCII.
start | cite law | If you mention a law, name the paragraph.
start | ask budget | ask for the budget before you plan a trip, that would save us both time
start | informal you | Use the informal "du" with me, everybody here does.
start | problem, cause, fix | I need problem, cause, fix. In that order, in each report.
start | feature branch | Please branch off develop, not off main.
start | alt text | Don't publish images without alt text; add it to each one.
start | tell whoever asked | Once you finish a task, tell whoever asked for it.
start | constants | magic numbers should become named constants in whatever you write
start | tldr first | I'd prefer the summary first and the details after it.
start | keyboard | I can't use a mouse. Give me keyboard shortcuts.
start | must reach me | complaints about safety must reach me the same day
start | lock the door | It's a good idea to check that the door is locked before you turn on the alarm, so do that.
start | docs together with the code | Write the docs together with the code, not weeks later.
start | no-reply | Use the no-reply address for automatic mails.
start | backup first | Lesson learned: from now on a backup comes before any update.
start | plain | Please explain it the way you would to a colleague from marketing, I'm no engineer.
start | decimal comma | We use a decimal comma in Germany, so 3,5 and not 3.5.
start | vegan | I've gone vegan, please plan my meals accordingly.
start | show the command | Before you execute a command show it to me.
start | leading zero | Invoice numbers have a leading zero, keep that in mind.
start | sit at the window | I like to sit at the window, book it like that.
start | label estimates | Mark estimates as estimates.
start | ticket status | it would be great to have the ticket status updated when you finish something
start | in advance | You announced the maintenance five minutes before it started. Two days in advance, please.
start | French and Dutch | Everything that goes to the Brussels office needs to be in French and Dutch.
start | dark | My eyes hurt, give me dark themes by default.
start | lint | I noticed lint errors in your last PR. Lint before you push.
start | which one you'd pick | when you list options tell me which one you'd pick
start | prefer stdlib | Prefer the standard library over packages.
start | pull first | Always pull first!
start | say hello | hi and bye cost nothing. say hello to people before you ask them for things
keep | code samples | I really appreciate the runnable code samples.
keep | nudge about the deadline | that nudge about the deadline was helpful, please keep doing this
keep | two versions | Giving me two versions to choose from works great. Let's stick with that.
keep | notes in both languages | I'm so glad that you write the notes in both languages.
keep | polite even when | You are always polite even when customers yell. Please stay like that.
keep | preflight checklist | the preflight checklist you run before deploys: keep it
keep | summary line | The one-line summary at the start is super useful, never drop it.
keep | structure | This structure (problem, options, advice) is just what I need, keep using it.
keep | test names | love the descriptive test names
keep | warnings | Good call warning me before the big query. Please go on doing that.
`);

export const TENTH_MISSES = missCases(String.raw`
task | Squash the last three commits.
task | Can you crop the photo to a square?
task | Turn off auto-correct in the editor for this file.
task | Sort the photos by date.
task | Please mark all mails as read.
task | Add a leading zero to the invoice number.
task | Be quick, the meeting starts in five minutes.
task | Name three reasons against it.
task | take the paragraph about pricing out again
task | Use the dark theme for the screenshot.
task | Cut the video at 2:30 and add a title.
task | Could you make the paragraphs a bit longer here?
task | Write the invitation in French and Dutch.
task | Pull first, then rebuild, then tell me the size.
task | Find me a vegan restaurant for tonight.
task | ask Maria what her budget is
task | tell them we're not interested
task | Don't order the blue one, it's too small.
task | please don't close this tab, I need it
task | No, wait, not the whole folder.
task | leave the lights on until ten
task | show me the command you used
task | Explain to me what a decimal comma is.
task | less sugar in the second batch, please
task | I want you to call the plumber now.
task | I need you to look at the failing test in CI.
task | You should call him back, he sounded upset.
task | you can delete the branch now
task | You need to restart the router, then it works again.
task | When you are at the shop, buy bread.
task | Make sure the door is locked tonight.
task | Try to get a refund for the tickets.
task | Remember to bring the documents tomorrow.
task | start with the easy ones
task | Use my other address for the delivery.
task | From the list, take every second entry.
task | Create a rule that moves newsletters to a folder.
task | Add a policy that forbids force pushes to main.
task | Generate a checklist that I can use before every deploy.
task | Please keep this chat open.
task | Let me know how it goes!
task | keep me posted on the outage
task | Please confirm.
task | Have a look at the error and tell me what you think.
question | What makes a good commit message?
question | Do you want me to add more detail?
question | how many follow-up questions are okay in an interview?
question | Is halal meat always more expensive?
question | Who writes the meeting notes this week?
question | Should the summary come first or last?
question | Can we stop by the bakery on the way?
question | Could you always see this channel?
question | are you able to remember things from now on?
question | When did you last back up the database?
question | Would it be rude to skip the small talk?
question | What do you keep in that folder?
question | do you prefer short or long variable names
question | why does git always ask for my password?
quote | The new guideline from HR: always lock your laptop.
quote | My therapist says I should complain less.
quote | "More detail, please" was all that he answered.
quote | On the wall it says "Measure twice, cut once".
quote | The spec says the client must never retry a POST.
quote | Tim asked if you could be less formal with him, is that ok?
code | echo "never run as root" >> README
code | - uses: actions/checkout@v4 # keep pinned
code | if not enough: raise TooFewError("give more examples")
code | let tooMany = items.length > MAX
praise | Really nice work on the report!
praise | Good, good.
praise | I love this song.
praise | So much better than the last one, thanks.
praise | That was very helpful, thank you.
praise | Great summary, I forwarded it to the board.
product | Our landing page should load in under a second and use fewer images.
product | The alarm should never go off at night.
product | Users complain that the emails are too frequent.
product | Every ticket in Jira must have an owner.
product | The chat widget is too pushy.
product | In our app, dates are always shown in local time.
third | My dentist always runs late.
third | Maria never reads my messages.
third | The old agency used too much stock photography.
third | Our CFO prefers numbers over words.
third | Juniors should write more tests.
hypothetical | If the summary came first, would people still read on?
hypothetical | It might be nice to have shorter sprints at some point.
hypothetical | Let's say you always had to ask first, how long would it take?
negated | I never said that you should stop asking.
negated | I don't mind the small talk.
negated | You needn't be shorter, I was joking.
statement | I've gone vegan.
statement | I can't use a mouse.
statement | We're a startup.
statement | Seven decimals, wow.
statement | You announced the maintenance five minutes before it started.
statement | I always work from home on Fridays.
statement | There's never any parking here.
statement | I'd like to thank everyone for coming.
statement | I need more sleep.
statement | I wish it were Friday.
statement | My eyes hurt.
statement | we could use some rain
statement | Nobody told me about the party.
statement | The client liked it.
statement | I'm not a morning person.
statement | We agreed on 400 euros.
statement | I told you about my trip to Norway, right.
statement | You've been very patient with me.
statement | It's hard to read his handwriting.
statement | I hate when it rains on weekends.
statement | That was the third outage this month.
`);
