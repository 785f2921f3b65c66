import { missCases, plantedCases } from "./cases.ts";

/**
 * A third set, written blind: whoever wrote it had seen neither the program that finds corrections nor the
 * other sets, only what a correction is. Do not tune the program on it.
 */
export const BLIND_2_CORRECTIONS = plantedCases(`
stop | force pushing | Stop force pushing to my branch. I lost an hour of work this morning.
stop | emojis in commit | please don't put emojis in commit messages
stop | great question | You don't need to tell me "great question" every time I ask something.
stop | stop apologising | Can you please stop apologising? It's fine, just fix it and move on.
stop | touch package-lock.json | The build is green again, thanks. But never touch package-lock.json unless I ask you to.
stop | new markdown files | quit creating new markdown files for every little change, the repo is full of them
stop | em dashes | No more em dashes in anything you write for me.
stop | booking meetings | Don't go booking meetings on Fridays, I keep that day free for the kids.
stop | call me mate | please dont call me mate
stop | summarise the diff | I can read the diff myself. There's no need to summarise the diff at the end of each task.
stop | with --no-verify | You committed with --no-verify again. Don't ever do that.
stop | any types | ugh, any types all over the place again. do not use any types in this codebase
stop | send mails | I don't want you to send mails to customers without me having seen them first.
stop | the bullet points | Enough with the bullet points, I'm not a slide deck.
stop | mock the database | We got burned on this last year, so please never mock the database in integration tests.
stop | Skipping tests | Skipping tests to get CI green is not OK. Don't do it again.
stop | in German | Why do you keep answering in German? I write to you in English, so stop it.
stop | asking permission | you can stop asking permission to run the linter, just run it
stop | legal disclaimers | Drop the legal disclaimers from now on, I am a lawyer myself.
stop | rename variables | Looks good overall. One thing for the future: don't rename variables that have nothing to do with the ticket.
stop | weekend reminders | I'd rather not recieve any weekend reminders from you.
stop | guess the dates | If the invoice is unreadable, say so. Don't guess the dates.
stop | anything with sudo | i thought we agreed that you don't run anything with sudo
stop | my calendar colours | Please leave my calendar colours alone in future, my wife and I have a system.
stop | inline comments | I'm not a fan of inline comments that repeat the code. Leave them out from here on.
stop | marketing speak | The marketing speak has to go, it makes all of our reports sound fake.
stop | rebase main | hey, pls dont rebase main anymore, others are working on it
less | Shorter answers | Shorter answers please. I read these on my phone.
less | more concise | Could you be more concise in general? Half of what you write I skip.
less | status updates | You're sending way too many status updates. Once a day is plenty.
less | too formal | your emails sound a bit too formal, tone it down when you write to my team
less | follow-up questions | Fewer follow-up questions please, just make a sensible choice and tell me.
less | weekly report | The weekly report is far too long. Nobody gets past page one, so keep it to a page from now on.
less | the explanations | ok works now. but cut down on the explanations, I know what a mutex is
less | too many headings | You use too many headings for a three-line answer.
less | exclamation marks | Go easy on the exclamation marks!
less | pull requests smaller | I can't review PRs this big. Make your pull requests smaller going forward.
less | tool calls | you're burning a lot of tokens, try to make fewer tool calls per question
less | much hedging | There's too much hedging in your analyses. Say what you think.
less | every five minutes | My phone buzzes every five minutes because of you. Once an hour would be enough.
less | wall of text | Every time I ask something simple I get a wall of text back, it's too much.
less | less enthusiastic | A bit less enthusiastic would suit me better, I've not had my coffee when we talk.
less | less jargon | I'm a nurse, not a programmer, so please use less jargon with me.
less | commit messages | Your commit messages are essays. One line will do.
less | fewer dependencies | Thanks for the fix. In future try to pull in fewer dependencies, we audit each one by hand.
less | two options | Give me two options at most, not seven. I get decision fatigue.
less | meeting notes | tldr pls, the meeting notes you write up are always way too detailed
less | much logging | I find you add too much logging to evrything, dial it back.
more | more detail | I'd like more detail in your standup summaries, right now I can't tell who did what.
more | error messages | Please write more helpful error messages, "something went wrong" helps nobody.
more | Check in | You go off for an hour and I've no idea what you're doing. Check in more often.
more | edge cases | test more edge cases please, empty input keeps slipping through
more | more direct | Be more direct with me. I can take it.
more | more sources | Your research notes could do with more sources.
more | explain why | I'm still learning rust so explain why a bit more when you change something
more | challenge my ideas | It would help me if you'd challenge my ideas more, you agree with everything.
more | More examples | The docs you write are too dry. More examples, always.
more | more casual | You can be more casual with me, we're not at the bank.
more | careful with | You need to be a lot more careful with migrations than you were today.
more | more background | Your answers are too short for me, I need some more background to follow them.
more | Commit more often | Commit more often, I want to be able to bisect.
more | sound friendlier | When you reply to guests, sound friendlier. This reads like a parking ticket.
start | run the tests | Always run the tests before you tell me something is done.
start | ticket number | From now on put the ticket number at the front of the branch name.
start | British spelling | Use British spelling please, our readers are in the UK.
start | ask me first | ask me first before you delete anything
start | metric units | Cups and ounces mean nothing to me, any recipe I get from you has to be in metric units.
start | link to | Whenever you mention an issue, link to it. I can't go hunting for numbers.
start | file paths | could you include the full file paths when you talk about code? there are four index.ts in this repo
start | use pnpm | We use pnpm here, not npm. Please remember that.
start | in Portuguese | Minha mãe reads these too, so from today please answer in Portuguese.
start | travel time | When you put an appointment in my calendar, always add the travel time before it.
start | bottom line | Start every report with the bottom line. The rest can follow.
start | conventional commits | new rule: conventional commits for everything
start | feature branch | Nice work on the parser. Next time though, work on a feature branch rather than straight on main.
start | cc Marta | Please cc Marta on every mail that goes to the landlord.
start | ISO dates | I'd prefer ISO dates in all tables, the US ones confuse the whole office.
start | first name | You can use my first name from now on, it's Oyelaran.
start | how confident | It'd be good if you told me how confident you are whenever you give me a number.
start | make a backup | Going forward, make a backup before you edit any spreadsheet of mine.
start | Monday morning | I want the sales figures in my inbox every Monday morning, without me having to ask.
start | regression test | each bug fix gets a regression test. no exceptions pls
start | strict mode | You must compile with strict mode on in every new package you set up.
start | admit it | If you don't know something, just admit it. That goes for everything.
start | a changelog entry | And you forgot again! Every user-visible change needs a changelog entry, every time.
start | step by step | My dad is 82, so when he writes to you take him through things step by step, always.
start | tell me when | Be so kind as to tell me when you've changed a config file, in each case.
keep | short summary | I love the short summary at the top, keep doing that.
keep | plain English | The plain English is exactly what I need. Please carry on like that.
keep | small PRs | these small PRs are a joy to review, keep them coming
keep | before and after | Showing before and after screenshots was brilliant, please do that every time.
keep | asking before | Thanks for asking before you dropped that table. Keep it that way.
keep | dry humour | Don't lose the dry humour, it makes my Mondays.
keep | morning briefing | The morning briefing at 7 is perfect as it is. Stick with it.
keep | table format | table format works really well for me, stay with that
keep | pushed back | It was good that you pushed back on my estimate, that's exactly what I want from you.
keep | commit style | Your commit style is spot on, keep it up!
keep | line numbers | You give me the line numbers with every finding and I really like that about working with you.
keep | gentle tone | That gentle tone with my students is just right, always write to them like this.
keep | failing test first | Writing the failing test first was the right call. Keep working that way.
`);

export const BLIND_2_MISSES = missCases(String.raw`
task | stop the dev server and start it again on port 4000
task | Make this paragraph shorter, it has to fit in a tweet.
task | Remove the bullet points from section 3 and turn them into prose.
task | Please add more tests for the date parser.
task | can you start the migration on staging
task | Keep the second paragraph, delete the rest of this draft.
task | Rename getUser to fetchUser in src/api and open a PR.
task | Cancel my 3 o'clock with Dana and move the dentist to Thursday.
task | Translate this mail into French, please.
task | Don't include the Q2 numbers in this chart, they're not final.
task | Rewrite the intro so that it sounds less formal.
task | Add a reminder for tomorrow at 9: call the plumber.
task | drop the index on orders.created_at and rerun the query
task | Leave line 40 as it is and fix the one below.
task | Cut the cover letter down to 200 words.
task | Turn off the heating in the guest room, please.
task | revert that last commit, I pushed to the wrong branch
task | Please send Tom the agenda and attach last week's slides.
task | Make the button more prominent on the pricing page.
task | Stop, I need to look at that file first before we go on.
question | How do I stop git from asking for my password every time?
question | Should I always use const instead of let?
question | What's the best way to keep a sourdough starter alive?
question | Do you run the tests before you commit?
question | Is it better to write shorter emails to recruiters?
question | why does prettier keep removing my trailing commas?
question | Can you see my work calendar or only the private one?
question | Which is more idiomatic in Go, returning an error or panicking?
question | How often should I water a monstera in winter?
question | Did you use the linter config from the root or the one in packages/ui?
question | Is there a way to make cron run less often on weekends?
question | when did we start using pnpm in this repo?
quote | Our client wrote back: "Please stop sending us invoices by post." Draft a polite reply.
quote | My boss said "be more concise" in my review, what could she mean by that?
quote | The README says "never commit directly to main", is that still true for this repo?
quote | Proofread this sentence: "You should always ask before you enter."
quote | The sign in the lobby reads "Keep your voice down", I need it in Welsh.
quote | The reviewer's comment was "don't use default exports here". Where is that line?
quote | He texted me "stop calling me so much" and now I feel awful.
quote | Subject of the mail: "Please use the side entrance from now on". Can you find it in my inbox?
quote | From the style guide: "Use sentence case in headings." Which of our pages break this?
quote | Grandma's recipe says "always use cold butter, never margarine". Can I swap in oil?
quote | Summarise this review: "Staff were lovely but please turn the music down, way too loud."
code | // TODO: stop polling when the tab is hidden
code | npm WARN deprecated request@2.88.2: please stop using this package, it is no longer maintained
code | error TS7006: Parameter 'x' implicitly has an 'any' type. Do not use any.
code | systemctl stop nginx && systemctl start nginx
code | # never call this from the main thread\nraise RuntimeError("stop")
code | [2024-03-11 08:14:02] WARN retry limit reached, use fewer connections
code | if (user.isAdmin) { keepAlive(); } else { stop(); }
code | assert response.text == "Please always provide an API key"
code | eslint: no-console: Unexpected console statement. Don't use console.log in production code.
code | docker: Error response from daemon: You must always specify a tag.
praise | Great job!
praise | That's perfect, thank you so much.
praise | you're a lifesaver
praise | Brilliant, cheers, that did the trick.
praise | wow that was quick
praise | Lovely. I'll send it off now.
praise | lgtm, merging
praise | Thanks, I couldn't have done this without you!
praise | Nice one, have a good weekend.
product | The app should stop sending push notifications after 10 pm.
product | Our onboarding mails are too long, users drop off after the second one.
product | The chatbot on our website must always greet customers by name.
product | Users want more filters on the search page.
product | The login form should never show which field was wrong.
product | Our design team always uses sentence case on buttons.
product | In our team nobody deploys on Fridays.
product | The export needs to keep the column order the customer picked.
product | Acceptance criteria: the scheduler retries at most three times and then stops.
product | We want fewer clicks in the checkout, that's the goal for Q3.
product | the settings page has way too many toggles, our customers get lost in it
hypothetical | If I asked you to only answer in Latin, could you do that?
hypothetical | Suppose we stopped writing unit tests altogether, what would break first?
hypothetical | What would happen if someone told you to never use the internet again?
hypothetical | Imagine a colleague who always interrupts you. How would people react?
hypothetical | I wonder what it'd be like if we had fewer meetings.
hypothetical | Let's say the customer wants shorter reports, how much time would that save us?
hypothetical | Would it be faster if we squashed every commit?
hypothetical | If my landlord started coming round without asking, could I take him to court?
third | My sister should stop texting her ex.
third | Kevin never runs the tests before he pushes, it drives me mad.
third | The new intern writes far too long emails.
third | I told the kids to be quieter in the mornings.
third | Our vendor keeps sending invoices in the wrong currency.
third | Tell Priya she should add more comments to her code.
third | My doctor wants me to eat less salt.
negated | I'm not saying you should stop, I was only curious how it works.
negated | I don't want you to stop anything, I only asked what was running.
negated | I didn't mean that you should write less.
negated | It's not that your mails are too long, my screen is just tiny.
negated | I never said you had to ask me first.
statement | I stopped drinking coffee last month.
statement | The tests have been flaky since Tuesday.
statement | I usually write my commit messages in the evening.
statement | The meeting went on for far too long again.
statement | I've started to learn Portuguese, it's harder than I thought.
statement | We moved from Jenkins to GitHub Actions in May.
statement | it's raining here again, third day in a row
`);
