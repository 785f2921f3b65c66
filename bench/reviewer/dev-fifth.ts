import { missCases, plantedCases } from "./cases.ts";

/** Development cases, plain and short as people type them: `type | about | text`. Scored before anything was changed for them. */
export const FIFTH_CORRECTIONS = plantedCases(`
stop | thanking me | you can stop thanking me for every question
stop | pushing straight to | I saw you pushed straight to master. That must not happen again.
stop | opinions | Keep your opinions out of the meeting notes.
stop | markdown | Markdown does not render in our chat, so please don't use it there.
stop | pretend | Don't pretend you ran the tests when you didn't.
stop | editing files | No editing files outside the src folder.
stop | changing my wording | Please stop changing my wording, I chose it on purpose.
stop | generic advice | I'm tired of generic advice.
stop | emailing | Never email a customer twice on the same day.
stop | making assumptions | Please don't make assumptions about my schedule.
stop | quoting | you don't need to quote my whole message
stop | adding dependencies | Do not add dependencies without asking.
stop | as an AI | I never want to read "as an AI" again.
stop | renaming variables | You keep renaming variables for no reason.
stop | interrupt | don't interrupt me while I'm in a meeting
stop | weekly newsletter | Don't sign me up for newsletters.
stop | console.log | no console.log in production code
stop | shouting | Why is half of this in capitals? Stop shouting at me.
stop | closing remarks | Leave out the closing remarks.
stop | catch-all | I don't want to see any more catch-all exception handlers.
stop | customer names | Customer names must never show up in your logs.
stop | deleting comments | Stop deleting my comments when you refactor.
stop | being vague | quit being vague about costs
stop | internal codenames | we don't use internal codenames with clients, so don't either
stop | ask twice | Don't ask me the same thing twice.
stop | hype | Lose the hype.
stop | on Fridays | We don't deploy on Fridays. Please respect that.
stop | copy pasting | stop copy-pasting code from Stack Overflow
stop | without a plan | Don't start coding without a plan.
stop | stack traces | spare me the full stack traces
less | chatty | you're a bit chatty for my taste
less | preamble | Less preamble, more substance.
less | long | This is the third wall of text today. Keep it short.
less | small talk | I could do with less small talk.
less | meetings | You schedule too many meetings for me.
less | adjectives | Your product texts have too many adjectives.
less | questions at once | don't ask so many questions at once
less | repetitive | Your weekly reports are getting repetitive.
less | cautious | You can be less cautious with test data.
less | complicated | your explanations are more complicated than they need to be
less | words | Fewer words please.
less | alerts | I get too many alerts from you.
less | logging | you log way too much
less | sentences | two or three sentences are enough for a status mail
less | eager | You're too eager to refactor things.
less | tone it down | The greeting is over the top, tone it down next time.
less | shorter subject | keep subject lines under 50 characters
less | nested | Your code is too nested.
less | excitement | a little less excitement, please
start | both sides | Always give me both sides of an argument.
start | page numbers | When you quote a book, give the page number.
start | invoice number | Put the invoice number in the subject line of every mail you send.
start | ask | if anything is unclear, ask me instead of guessing
start | tests | New code needs tests.
start | assumptions | I want you to list your assumptions at the top.
start | link | Please link to the ticket in every commit.
start | Monday | every Monday send me a list of open issues
start | dark mode | make sure it works in dark mode whenever you touch the UI
start | kilometres | Use kilometres, not miles.
start | Ms | Address her team as Ms and Mr in all correspondence.
start | snake_case | Variables in snake_case please.
start | dry run | do a dry run before you change anything in bulk
start | explain | when you reject an idea, explain why
start | deadline | From today on mention the deadline in each task you create.
start | price | you forgot the price again, please always include it
start | call me | I go by Sam, please call me that.
start | summary first | Lead with the summary.
start | walking distance | When you book a hotel pick one within walking distance.
start | pnpm | We use pnpm here, not npm.
start | restart | let me know before you restart anything
start | review | Have someone review it before you publish.
start | vegetarian | I'm vegetarian, keep that in mind when you order lunch.
start | rollback | Every migration needs a rollback script.
start | date | next time put the date in the file name
start | ask Legal | Anything with contracts goes through Legal first.
start | error message | include the exact error message when you open a bug
start | confirm | please confirm the address with the customer before shipping
start | simpler words | explain it to me in simple terms, I'm not a developer
start | pull requests | I'd prefer pull requests over direct commits
start | alt text | images need alt text, don't forget that
start | units | Mention the units when you give me numbers.
more | thorough | Be more thorough when you review code.
more | context | Your questions need more context.
more | charts | I'd love more charts in the monthly report you make.
more | proactive | You could be more proactive about risks.
more | save | save your work more often
more | specific | be more specific in your commit messages
more | tests | please write more tests for the things you change
more | warm | sound a bit warmer when you write to families
more | careful | You need to be way more careful with dates.
more | background | give me more background when you recommend something
more | too brief | Your handover notes are too brief.
keep | bullet points | Bullet points work really well for me, keep using them.
keep | before touching | I appreciate that you check with me before touching prod.
keep | summaries | Love the summaries at the end.
keep | color coding | the color coding in your tables is super helpful, keep it
keep | early | thanks for always flagging delays early, keep doing that
keep | explaining | It helps me a lot when you explain the trade-offs. Keep that up.
keep | short | I like that your answers are short now
keep | checklists | those checklists are gold, please keep making them
keep | calm tone | Please keep the calm tone with angry customers.
keep | sources | Great that you give sources. Don't stop doing that.
`);

export const FIFTH_MISSES = missCases(String.raw`
task | Stop the timer.
task | stop all running containers
task | don't restart it before I've saved my work
task | Don't invite Carla to the meeting tomorrow.
task | no, not the red one
task | No milk in the coffee for Ben please.
task | Use the second template for the letter.
task | please use my work address for this order
task | write a short summary of the call
task | shorten the abstract to 200 words
task | Make the intro less technical.
task | give me more options for the name
task | add more tests to the parser module
task | Can you give me more detail on point two?
task | ask the landlord before you paint the wall, it says in the lease. Can you write to him?
task | always true is wrong here, use a variable
task | Remove all comments from utils.py
task | list all files that were changed
task | every row needs an id, add the column
task | when the import is done, send me the numbers
task | before lunch, check the server
task | If the test fails, run it again.
task | tell the customer that we never ship to Brazil
task | keep the first two and delete the rest
task | keep working on the login page
task | continue with the next chapter
task | Continue.
task | Try a friendlier tone in the second draft.
task | put the chart on slide three
task | sort by date, not by name
task | metric prefix for kilo?
task | Don't forget the milk.
task | remember the meeting at three
task | reply to her that I'm on holiday
task | Please answer the last question.
task | Draft a policy that says nothing leaves the building without approval.
task | please double the font size of the title
task | Two tickets are enough, book row five.
task | one example is enough for the slide
task | skip the tests this time
task | for now just log the error
task | let's keep it simple here and hardcode the value
task | drop everything and look at the outage
task | leave it
task | cut the budget for ads in half
question | Why did you skip the summary?
question | Would you rather use tabs or spaces?
question | Can you always see my calendar?
question | Are your answers always based on the docs?
question | do we need less memory or more?
question | What if I want longer answers?
question | is it possible to get fewer notifications from GitHub?
question | when should I use bullet points?
question | How do people usually sign off mails in German?
question | did I tell you to stop?
question | Is that too long for a tweet?
question | how do I keep my cat from waking me up
question | Could the chart be bigger?
question | what's the best way to keep commits small?
third | Our intern never writes tests.
third | My wife thinks I work too much.
third | The client insists on weekly calls.
third | Jonas always replies in one line.
third | the customer wants us to stop calling him
third | Management wants fewer meetings.
third | People should read the manual first.
third | Everyone on the team uses tabs.
third | The vendor never gives enough notice.
third | she asked me to be more concise in my thesis
product | Our bot should greet users by name.
product | The login page needs clearer error messages.
product | notifications must never be sent at night, that's requirement 7
product | The tool asks for confirmation before it deletes anything.
product | Every invoice goes to accounting first.
product | Comments are not allowed in JSON.
product | All endpoints must return JSON.
product | The summary on the dashboard is too long.
product | our emails should sound warmer
product | The script stops when a file is missing.
product | Passwords are never logged.
product | the alerts in Grafana are too noisy
quote | My daughter's teacher wrote "please be more careful". What did she mean?
quote | the error says "don't use eval"
quote | There's a sticky note on my monitor: always lock the screen.
quote | As the saying goes, less is more.
quote | In the ticket it says: stop retrying after three attempts
quote | The customer wrote: please stop sending me offers. How should I answer?
code | const keepShort = true; // always
code | \`no-console\` is the rule that fails
code | sudo systemctl stop nginx
code | the commit message is "stop leaking handles"
code | WARN: too many open files
praise | Excellent.
praise | That's a really nice summary, thanks.
praise | you did well today
praise | cool, I like it
praise | Much better now.
praise | Thanks for the quick reply!
praise | good catch
hypothetical | if you were more careful, would it take longer?
hypothetical | Let's say nobody reads the summary, should we drop it?
hypothetical | I might want shorter reports at some point.
statement | I always drink coffee first.
statement | I need less sugar in my life.
statement | My answers in the exam were too short.
statement | I don't use Windows.
statement | I've stopped smoking.
statement | the train is always late
statement | You have three unread mails from Ann.
statement | We keep the backups for 90 days.
statement | I'm on vacation next week, no calls.
statement | I like the blue version.
statement | I have trouble sleeping.
statement | I can't follow the discussion in that thread.
statement | it's too cold in here
statement | The explanation in the book confuses me.
statement | You were too fast for me there.
statement | one more thing: the invoice is wrong
statement | no luck so far
statement | all good, nothing else for today
negated | it's not that I want shorter answers
negated | you didn't do anything wrong
negated | I don't mind long answers
negated | you don't need to stop
`);
