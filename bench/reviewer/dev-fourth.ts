import { missCases, plantedCases } from "./cases.ts";

/** Development cases of everyday wording, from many trades: `type | about | text`. Written after the first blind set was read. */
export const FOURTH_CORRECTIONS = plantedCases(`
stop | trailing whitespace | No trailing whitespace changes. I keep having to say this.
stop | refactor | Do not refactor code I didn't ask you to touch.
stop | reformat my spreadsheet | don't reformat my spreadsheet every time you open it
stop | reading my emails back | Don't read my emails back to me.
stop | leave my drafts alone | leave my drafts alone
stop | migrations | hands off the migrations unless I say so
stop | production database | Stay away from the production database.
stop | personal calendar | keep out of my personal calendar
stop | goes out | nothing goes out to a client without my okay
stop | merge | Nothing gets merged without a review.
stop | force push | force pushing is off limits
stop | passwords | passwords don't belong in the logs
stop | politics | I'd rather you didn't bring up politics.
stop | sugarcoating | quit sugarcoating bad news
stop | asking if | You don't have to ask if I want to continue each time.
stop | rhetorical questions | Please no rhetorical questions.
stop | one-liners | I'm not a fan of clever one-liners in the code
stop | assume | don't just assume the requirements, ask
stop | make up sources | You invented a citation again. Never make up sources.
stop | swallowing errors | please refrain from swallowing errors
stop | weekend | I don't want to be contacted on weekends.
stop | book flights | Don't book flights with layovers for me.
stop | late at night | please don't ping me late at night
stop | dear sir | No "Dear Sir or Madam" in our letters, ever.
stop | all caps | writing in all caps is not okay
stop | dumping | Stop dumping the entire file in the chat.
stop | half-finished | I won't accept half-finished patches.
stop | changing subject lines | Why do you keep changing my subject lines?
stop | skipping tests | it's not acceptable to skip tests
stop | telling me | you needn't tell me what the code does line by line
stop | upsell | Do not upsell customers who are complaining.
stop | promise | never promise a delivery date to customers
stop | patronising | Drop the patronising tone.
stop | em dashes | can we lose the em dashes
stop | third person | It's weird when you refer to yourself in the third person, stop it.
stop | closing tickets | Tickets are closed by QA, not by you.
stop | without checking | you're not supposed to order parts without checking stock
stop | links | I can't open links at work so don't send them to me
stop | deprecated | Under no circumstances use deprecated APIs.
stop | spoil | no spoilers please when you recommend a movie
stop | delete branches | I don't want branches deleted without a heads-up.
stop | repeating yourself | You've said that three times. Stop repeating yourself.
stop | restating | There is no need to restate the whole problem before answering.
stop | filler | cut the filler
stop | ideas | save the unsolicited ideas for later, in general I only want what I asked for
stop | abbreviations | Abbreviations confuse me, please avoid them.
stop | gendered language | Avoid gendered language in job ads.
stop | lorem ipsum | for mockups never use lorem ipsum
stop | touch | don't you ever touch the billing code without telling me
stop | mocks | Do not use mocks in integration tests.
stop | calling customers | you can't just call customers by their first name
stop | blame | Stop blaming the network whenever a test fails.
less | too much code | There's too much code in your answers, I only want the idea.
less | wordy | These explanations are rather wordy.
less | legal talk | There's a lot of legal talk in your replies, I'd like less of it.
less | pushy | you come across as a bit pushy in the follow-ups
less | overly optimistic | You're overly optimistic with your estimates.
less | excessively polite | you're excessively polite, just talk normally
less | notifications | My phone buzzes all day because of you, fewer notifications please.
less | comments | The code has way too many comments when you write it.
less | abstractions | you use too many abstractions
less | shorter | Can your summaries be shorter?
less | long intros | I don't like long intros.
less | brief | Brief answers please.
less | half the length | Half the length would be plenty for your reports.
less | bullets | fewer bullets, more sentences
less | options | Two options are enough, you don't need to give me ten.
less | long-winded | Your mails to suppliers tend to be long-winded.
less | technical | too technical for me, keep it simpler
less | bold text | ease up on the bold text
less | dramatic | be a little less dramatic about warnings
less | salesy | Make your posts less salesy from now on.
less | check-ins | once a day is enough for check-ins
less | talk | less talk, more code
less | detail | I don't need that much detail in the standup notes.
less | caveats | you add so many caveats that I lose the thread
less | nitpicking | don't nitpick so much in reviews
less | questions | You ask a lot of questions before starting. Cut that down.
less | lines | Max three lines per update.
less | long answers | I struggle with your long answers.
less | long messages | I have trouble reading your long messages on my phone
less | verbose | commit messages are too verbose, one line will do
less | formal | No need to be so formal.
start | letterhead | please use the company letterhead for offers
start | two decimals | for this project always round to two decimals
start | prices | quote prices with tax included
start | 24-hour | I prefer the 24-hour clock.
start | tables | tables instead of bullet points when you compare things
start | TypeScript | use TypeScript rather than plain JavaScript for new scripts
start | summary | Please begin every report with a one-line summary.
start | draft | show me a draft before anything gets sent
start | say so | If you're not sure, say so.
start | tell me | when something fails, tell me right away
start | branch | Every change goes on its own branch.
start | test | A bug fix needs a test that fails without it.
start | backup | take a backup before you touch the database
start | approval | You need my approval before spending money.
start | first name | Customers should be addressed by first name in your replies.
start | ISO dates | dates in ISO format please
start | sign | sign your mails to clients with the team name, not mine
start | source | I expect a source for every figure you give me.
start | names | Refer to people by their last names.
start | steps | break big tasks into steps and get my okay on each
start | reproduce | first reproduce the bug, then fix it. Always in that order.
start | prefix | Prefix the branch names with the ticket number.
start | wait | Wait for my go before you deploy.
start | English | All code comments should be in English.
start | log | keep a log of what you changed
start | copy Dana | cc Dana on anything about invoices
start | plain text | Plain text only in mails, please.
start | double check | Double check the figures before you send a report.
start | read | you have to read the whole thread before answering a customer
start | honest | just be honest when you can't do something
start | metric | Metric, not imperial.
start | British | british spelling please
start | consult | Consult the style guide when you write copy for the website.
start | alternatives | I'd like you to suggest alternatives when I propose something.
start | bad news | Bad news first, then the rest.
start | run | it would be good if you ran the formatter on every file you edit
start | greet | Greet customers in their own language.
start | aisle seat | I like aisle seats, remember that for bookings.
start | verify | Verify quotes against the original before you use them.
start | each meeting | remind me an hour before each meeting
start | ask | When in doubt ask.
start | confirm | Confirm with me prior to cancelling any order.
start | guessing | tell me when you are guessing
start | type hints | type hints on every function please
start | imports | put imports at the top of the file, always
start | small commits | Make small commits instead of one huge one.
start | escalate | Anything about refunds has to be escalated to me.
start | tag | make it a habit to tag messages with the project name
start | vegetarian | whenever you suggest restaurants remember that I'm vegetarian
start | Berlin | All times in Berlin time please.
start | explain why | explain why, not just what
start | search | You're supposed to search the wiki before asking me.
start | check | why didn't you check the docs first? always do that
start | local | Prefer local suppliers over cheap ones.
start | first | The answer comes first, then the explanation.
more | examples | More examples in the docs you write would help.
more | specific | you could be more specific when you describe errors
more | patient | Be more patient with customers.
more | frequent | I'd like updates more frequently when a job runs long.
more | too terse | Your commit messages are too terse.
more | comments | the code you write has hardly any comments, add more
more | initiative | take more initiative
more | detail | Give more detail when you report a failure.
more | reasoning | explain your reasoning more
more | friendly | a bit friendlier with the customers please
more | critical | I wish you were more critical of my drafts.
more | enough context | You don't give me enough context in your questions.
more | variety | some more variety in the recipes you suggest would be nice
more | carefully | check your work more carefully
more | short | The summaries are a bit too short for me.
more | structure | I'd love to see more structure in your plans.
more | numbers | back your claims with more numbers
more | posted | keep me posted more often
keep | asking | Asking before you delete is exactly right, keep doing it.
keep | changelog | The changelog entries are really helpful, please keep writing them.
keep | daily summary | I love the daily summary!
keep | diagrams | your diagrams help a lot, keep them coming
keep | step by step | the step-by-step style is perfect for me, stay with it
keep | humor | Don't lose the humor.
keep | links | good that you always link the ticket
keep | format | this format is great, please stick to it
keep | honest | I appreciate your honesty about what you don't know
keep | pointing out | keep pointing out risks like that
keep | warned | I'm glad you warn me before expensive queries, carry on with that.
keep | tests | Nice that you write the tests first. Continue like that.
keep | plain language | I like how you explain things in plain language
keep | short answers | short answers like this one are perfect, more of those please
keep | reminders | the morning reminders are useful, don't stop them
keep | before and after | The before/after tables are really useful. Keep including those.
`);

export const FOURTH_MISSES = missCases(String.raw`
task | no trailing comma in line 12 please
task | don't merge it, the build is red
task | Don't send the mail to Kim, send it to Lee.
task | leave the second paragraph as it is
task | leave the window open for now
task | hands off for a minute, I'm editing the file
task | keep out the third column
task | use the blue logo on the cover
task | please use the staging server for the demo tomorrow
task | use tabs in this file
task | put the total at the bottom of the table
task | give me a table instead of the list
task | Give me three bullet points about the merger.
task | make the title shorter and the subtitle longer
task | there's too much sugar in this recipe, halve it
task | There are too many columns in this table, drop the last two.
task | nothing goes into the cart when I click, please fix
task | The form must not be submitted twice, add a guard.
task | Show me a draft of the letter to the landlord.
task | take a backup of the database
task | Wait for the build and then deploy.
task | Remind me at five to call mum.
task | remind me to water the plants
task | Copy Dana on this one.
task | cc Tom on the mail to the supplier
task | run the formatter on main.py
task | Prefix the table names with app_.
task | round the price to two decimals
task | add more examples to chapter two
task | explain the second step in more detail
task | Can you be more specific about the second error?
task | sign the contract with my name
task | tell me when the download has finished
task | tell Ann that we never received the parcel
task | confirm the appointment with Dr. Weiss
task | Cancel the order and let me know.
task | skip the intro and start with chapter one
task | cut the second scene
task | drop the index on users
task | ask Peter before you book the room on Tuesday
task | check the figures in this report again
task | Double check the invoice from May.
task | avoid the highway on the way to Graz
task | Write a story in which the dragon never speaks.
task | write a prompt that tells the model to always answer in JSON
task | Translate: please always knock before entering
task | never mind the last message
task | don't bother with the second file
task | Please don't include the appendix in this version.
task | Keep the meeting at 30 minutes.
task | keep an eye on the deployment
task | keep trying until it works
task | stop at the third example
task | Stop. Go back one step.
task | let's stop here for today
task | start with the login form
task | Start over.
task | more like the first one
task | a bit shorter please
task | make it friendlier
task | less blue, more green in the banner
task | book an aisle seat for the flight on Monday
task | reply to Jo in French
task | Answer question four first.
task | put it in a table
task | save the draft and close the editor
task | Don't run the slow tests, I only need the parser ones.
task | not that file, the other one
task | no need to rerun it, the result is fine
task | you don't have to fix this now
task | no, use the second variant
question | Is there too much detail in chapter three?
question | why are there so many comments in this file?
question | what happens when you skip the tests?
question | How often should one back up a database?
question | Do you always check the docs first?
question | Can I use tabs here?
question | is it ok to use mocks in integration tests?
question | Which is better, shorter functions or fewer parameters?
question | how can I make my replies to customers less formal?
question | could you explain why we never use floats for money?
question | Should customers be addressed by first name?
question | what do you like about this format?
question | Did you run the linter?
question | Would it help if the logs were more detailed?
question | are bullet points better than tables for this?
question | how do I stop Outlook from reminding me?
question | Do we need approval before spending money?
question | When do you use tables instead of lists?
third | My teacher always explains things twice.
third | Lisa never answers her phone.
third | The supplier keeps changing the prices.
third | Sarah wants more detail in the report.
third | our developers should use smaller commits
third | My colleague never tests anything before pushing.
third | The doctor told me to eat less salt.
third | Ben says the answers should be shorter.
third | the new guy asks too many questions
third | Dana prefers tables over lists.
third | My kids don't want to be called by nicknames.
third | The other bot was too chatty.
third | Marketing uses too many buzzwords in their posts.
third | They always send the invoice late.
third | Nobody reads long emails anyway.
third | customers don't like being asked for feedback
product | The app should always ask before deleting a file.
product | our chatbot must not give legal advice
product | The newsletter has too many links.
product | Every order needs an invoice number.
product | All passwords must have at least twelve characters.
product | The parser never returns null.
product | Users are never asked for their phone number in this flow.
product | nothing is saved without a click on OK
product | The function should return early when the list is empty.
product | The button needs more padding.
product | emails from the shop are too long
product | the error messages in our app are too vague
product | Buttons should be less prominent.
product | comments are closed after thirty days
product | The API no longer accepts XML.
product | our docs need more examples
product | the reminder mails go out every morning
product | Every page has to load in under two seconds.
product | In our shop prices are shown with tax included.
product | the tests should be faster
quote | The review said: "too many buzzwords, fewer slides". Do you agree?
quote | Our guideline reads "never promise a delivery date".
quote | "Please stop calling me" was her answer.
quote | The sign says no dogs allowed.
quote | In the contract it says the tenant must always give notice.
quote | Kim wrote that I should be less formal.
quote | she said: don't send any more reminders\nhow should I react?
quote | Feedback from the client:\n> shorter texts, please\n> and no emojis
quote | The linter complains: "avoid nested ternaries"
code | git commit -m "never skip tests"
code | \`always_ask = True\` is set in the config, why?
code | # TODO: stop using globals
code | if (retry) { keepGoing() } // never stop here
code | the flag is called --no-emojis
code | rename neverAskAgain to askOnce
code | ERROR: too many connections
code | set keepAlive to false
praise | Thank you, that helped a lot.
praise | you're the best
praise | I like it!
praise | good job on the release
praise | great, that works now
praise | This is so much better than before.
praise | love it
praise | The table looks good.
praise | the summary is good, send it
praise | I appreciate your help.
praise | Nice, exactly as I wanted.
hypothetical | If I always answered within an hour, would customers be happier?
hypothetical | imagine you never had to ask
hypothetical | What if we used fewer questions in the survey?
hypothetical | maybe one day we should switch to metric
hypothetical | I wonder whether shorter mails get more replies.
statement | I never got that mail.
statement | I always forget how git rebase works.
statement | It takes too long to build.
statement | I don't want to go to the meeting.
statement | I prefer tea.
statement | I need more coffee.
statement | we have fewer bugs since the rewrite
statement | I don't like the new logo.
statement | I hate Mondays.
statement | I want a bigger monitor.
statement | I keep forgetting my password.
statement | I'm tired of this weather.
statement | There's too much noise in the office today.
statement | I'd like to know more about the plan.
statement | my inbox is too full
statement | I have no time for long emails today.
statement | nothing works today
statement | The report was sent without the appendix.
statement | We use tabs, not spaces, in the old repo.
statement | I told Max to send the slides.
statement | You were right about the cache.
statement | you forgot the attachment
statement | that's more than I expected
statement | I struggle with your backlog tool.
statement | I use the metric system at home.
statement | The release notes are done.
statement | no speculative bids in the auction, it says
statement | for this project we have two more weeks
negated | I didn't say you should stop.
negated | Not too long at all, it was fine.
negated | it isn't too long, leave it
negated | you don't have to be shorter
negated | no no, more detail isn't necessary
`);
