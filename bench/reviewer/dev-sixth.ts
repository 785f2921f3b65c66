import { missCases, plantedCases } from "./cases.ts";

/** Development cases of the usual kind, once more in other words: `type | about | text`. Scored before anything was changed for them. */
export const SIXTH_CORRECTIONS = plantedCases(`
stop | sorry | Please stop saying sorry all the time.
stop | reorganize my folders | never reorganize my folders on your own
stop | suggesting Python | I code in Rust, so stop suggesting Python to me.
stop | reply to all | Don't hit reply-all unless I tell you to.
stop | calendar invites | You sent out calendar invites again without asking. I don't want that.
stop | fluff | can you please skip the fluff
stop | UTC | Don't give me times in UTC, I live in Lisbon.
stop | guesses | I don't want guesses, I want facts.
stop | nested lists | no nested lists please
stop | explaining basics | You don't have to explain the basics to me, I've been doing this for 20 years.
stop | touch prod | do NOT touch prod without a ticket
stop | summarizing what I just said | there's no point in summarizing what I just said
stop | smileys | I find the smileys unprofessional, please leave them out.
stop | editing the config | I'd appreciate it if you would not edit the config by hand.
stop | speculate | If you don't have the data, don't speculate.
stop | cold calls | Don't ever schedule calls before 10 am.
stop | placeholder | I really dislike placeholder text in finished documents.
stop | motivational quotes | Enough of the motivational quotes already.
stop | rewriting | every time I ask for a fix you rewrite everything. please don't
stop | assume I'm | don't assume I'm on Windows
less | long | Your last few replies were far too long for a phone screen.
less | colour | tone down the colours in your charts
less | detail | I don't need every detail, just the gist.
less | apologetic | Be less apologetic.
less | pings | Fewer pings during focus time please.
less | wordy | You tend to be wordy, try to tighten it up.
less | bullet points | not everything needs to be a bullet point
less | summary | One paragraph is enough for the weekly summary.
less | technical terms | Can you use fewer technical terms when you write to the board?
less | often | you check in too often, every two hours is fine
less | formatting | Go easy on the formatting.
less | enthusiastic | You sound too enthusiastic for a legal firm.
start | ask for clarification | Ask for clarification when a task is ambiguous.
start | ticket id | I want the ticket id in every branch name.
start | German | With Mr. Schulz please always write in German.
start | where it comes from | Whenever you state a number, tell me where it comes from.
start | verify | verify that links work before sending them
start | test first | Write the failing test first, then the fix. That's how we work here.
start | euros | Show amounts in euros from now on.
start | backup | make a backup before any schema change
start | first thing | The first thing in any report should be the risk level.
start | dates | dates should be written as day month year
start | opinion | I'd like to hear your opinion too, not just the facts
start | double-check | please double-check with me before you pay anything
start | bcc | Put me in bcc when you mail suppliers.
start | notes | Start taking notes in our calls.
start | spell out | spell out numbers below ten
start | pronouns | My pronouns are they/them, please use them.
start | headings | Use headings in long documents.
start | tell me | Just tell me if you can't do something.
start | two proposals | Next time bring at least two proposals.
start | code review | Request a review from Mia for every change in the payment code.
start | window seat | I always want a window seat.
start | quiet hours | Hold all notifications until after 9.
start | linter | you should run the linter yourself before handing over
start | name | it would help if you named the files consistently
more | explanation | I need a bit more explanation with your code.
more | proactive | please be more proactive with reminders
more | commits | Commit more often.
more | detail | The meeting notes you take could be more detailed.
more | why | tell me more about why you chose something
more | feedback | I could use more feedback on my texts from you.
more | sceptical | You should be more sceptical of what vendors claim.
more | too short | your answers are too short to be useful
keep | tables | The comparison tables are very useful, please continue with those.
keep | friendly tone | I like your friendly tone with the customers.
keep | morning briefing | The morning briefing is great, don't change it.
keep | small commits | Your small commits make reviewing easy, keep it that way.
keep | asking | I'm happy that you ask when things are unclear, keep asking.
keep | concise | Nice and concise, I like that, stay like this.
keep | examples | keep giving me examples like that
keep | tests | good that you always add a test
`);

export const SIXTH_MISSES = missCases(String.raw`
task | stop the recording
task | Please stop the job on server two, it hangs.
task | don't publish the article yet, Mia has to read it
task | Don't change the title, only the subtitle.
task | Give me a shorter version of this.
task | Please keep the receipt.
task | Use German for the letter to Mr. Schulz.
task | add a column with the ticket id
task | Write three more test cases for the date parser.
task | Make the logo bigger.
task | Skip to the end.
task | more salt, less pepper
task | show me the amounts in euros
task | Hold the order until Friday.
task | Request a review from Mia.
task | Could you tell me more about this error?
task | Never mind, I found it.
task | please check the spelling of the second paragraph
task | move the meeting to 10 am
task | make a backup of my phone
task | rewrite everything from scratch
task | Put me in touch with the supplier.
task | explain recursion to a ten-year-old
task | Be at the office at nine.
task | write a letter in which I ask my neighbour to stop playing drums
task | Turn off the notifications on my laptop.
task | undo the last change and don't touch anything else
task | Just use the default for now.
question | Do you ever make mistakes?
question | Should I write longer emails?
question | why do some people never use commas?
question | How many bullet points are too many?
question | Could you always do that from the beginning?
question | what does "always on" mean in this contract?
question | Do I have to confirm every payment?
question | would fewer words be better in the headline?
question | Which reports do you send automatically?
quote | My boss: "keep it short!" - how short is short?
quote | The recipe says never to boil the milk.
quote | "Don't be evil" was their motto.
quote | Her last message was: please call more often.
quote | I got this review: \n> too many ads, stop it
quote | It says on the box: keep away from children
code | while (true) { stop(); }
code | # never commit this file
code | the test is named "keeps_order"
code | npm WARN deprecated always-auth
code | alias less='less -R'
praise | Wonderful, thank you so much!
praise | That's exactly right.
praise | You saved my day.
praise | great tables!
praise | Good work on the charts.
praise | this is a very good answer
product | The website should load faster.
product | Customers must always confirm their address.
product | Our terms say refunds are never given in cash.
product | the chatbot keeps crashing
product | Too many users drop out at step three.
product | The dashboard needs more filters.
product | The printer never stops beeping.
product | the manual has too few pictures
hypothetical | If we stopped the newsletter, would anyone notice?
hypothetical | Maybe I should write less.
hypothetical | Assume you always win.
third | Mia says we should test more.
third | My father always carries a map.
third | The new manager wants shorter meetings.
third | They told us to stop using plastic bags.
third | The neighbours keep complaining about the noise.
third | some colleagues send far too many emails
negated | That's not too long.
negated | I don't want you to stop.
negated | no need to be more detailed than that
statement | I'd like more time for this.
statement | My flight is always delayed.
statement | I start work at nine every day.
statement | We stopped eating meat.
statement | I keep a diary.
statement | I never liked Mondays.
statement | I prefer the train to the car.
statement | There's more to it than that.
statement | We should go out more often.
statement | I use two spaces after a period, old habit.
statement | You sent me the wrong file.
statement | the report is too long to print
statement | Every change costs money.
statement | Nothing goes to plan today.
`);
