import { missCases, plantedCases } from "./cases.ts";

/** A third lot that the reviewer was written with. */
export const THIRD_CORRECTIONS = plantedCases(String.raw`
stop | touching files outside | Hey, one request: you keep touching files outside the module I asked about. Please stop doing that.
stop | opening paragraph | The opening paragraph where you restate my request is useless, just leave it out in the future.
stop | running the full suite | you dont have to run the full suite for doc changes
stop | bring up | pls don't bring up the deadline in every message
stop | sounding like | Stop sounding like a press release.
stop | TODO | Do not leave TODO comments behind, finish the work or tell me
stop | auto-merge | No more auto-merging. I want to look first.
stop | ask me the same | why do you keep asking me the same thing? I answered that twice
stop | using my first name | I'd rather you not use my first name with clients
stop | emoji | I said it before and I'll say it again, no emoji
stop | sending calendar invites | never send calendar invites on my behalf
stop | three versions | I don't need three versions of everything, one is enough
stop | hey there | quit opening with "Hey there!"
stop | tables on mobile | please avoid tables, they break on mobile
stop | overwrite | you are not allowed to overwrite my notes, ever
stop | buzzwords | Can we ditch the buzzwords?
stop | closing questions | Also the "anything else?" at the end of every reply, please drop it. No closing questions.
stop | force | don't use --force without checking with me
stop | generic advice | I'm not interested in generic advice. Stop giving me generic advice
stop | politics | keep politics out of your answers
less | half the length | half the length would do for these updates, they're way too long
less | back and forth | too much back and forth, you ask too many questions
less | dramatic | you're a little dramatic, please be less dramatic
less | brief | Your explanations go on and on. Keep them brief from now on.
less | text | that's a wall of text, please write less
less | adjectives | fewer adjectives in product texts please
less | interrupt | interrupt me less
less | long emails | your emails to suppliers are far too long
less | alerts | I'm getting way too many alerts from you
less | theory | a little less theory and a little more practice please
less | colorful | please be a bit less colorful in your language
less | simple | use simpler words when you talk to my parents
less | logging | you log way too much
less | succinct | Try to be succinct.
less | commits | don't make so many tiny commits
less | pedantic | don't be so pedantic
more | evidence | I want more evidence in your bug reports going forward
more | critical | you agree with me too quickly, be more critical
more | frequent | could you give more frequent updates on long tasks
more | comments | your code needs more comments
more | context | Give me more context when you ask for a decision
more | clearer | your commit messages should be clearer
more | human | sound more human
more | alternatives | I wish you'd propose alternatives more often
more | autonomous | be more autonomous, you don't need me for every step
more | precise | be more precise with numbers next time
more | too brief | Your status reports are too brief
start | link | whenever you mention a ticket, link it
start | plan | before you start coding, show me a plan
start | commit in English | commit messages in English from now on please
start | units | always include units
start | Slack | Next time ping me on Slack instead of email
start | sources | I expect sources for every claim
start | dates | please write dates as YYYY-MM-DD from now on
start | two options | when there is more than one way, give me two options
start | confirm | get my confirmation before you pay anything
start | pin | going forward pin dependency versions
start | summary first | put the summary first, always
start | read back | make sure to read back the address before you order
start | error output | you should include the full error output when something fails
start | Dutch | could you speak Dutch with me from here on?
start | honest | I'd like you to be honest when you don't know
start | branch | I keep telling you to branch off develop
start | name files | please name your files in kebab case from now on
start | warn | You need to warn me when a command takes longer than a minute
start | tests | run tests before you say it's done, every single time
start | check spelling | always check spelling before you send something out
start | bump | you forgot to bump the version again
start | tell me why | tell me why when you refuse something
start | ask | if a request is ambiguous, ask me
start | bullet | For status reports use bullet points from now on
start | step | do one step at a time and wait for my ok
start | they/them | use they/them for me please
start | 24h | I prefer 24h times to am/pm
keep | asking | I like it when you ask first, keep it like that
keep | short | short and clear, exactly how I like your updates. keep them that way
keep | code blocks | please keep putting commands in code blocks, makes copying easy
keep | reminders | the friday reminders are great, keep them coming
keep | pointing out | thanks for pointing out the edge cases, please always do that
keep | structure | I love the structure of your reports
keep | tests | Good that you wrote the tests first, keep doing it that way
keep | check-ins | your daily check-ins help me a lot, don't stop
keep | explaining | Keep explaining the trade-offs like you do now
stop | guessing | Thanks, but I noticed you were guessing the endpoint names. Please stop guessing and read the docs.
stop | sugarcoat | don't sugarcoat bad news
stop | cute | enough with the cute metaphors, I'm begging you
stop | delete branches | Please do not delete branches unless I say so explicitly.
stop | dumping | can you stop dumping whole files into the chat
stop | small typos | you don't need to point out my typos
stop | third person | It's weird when you refer to yourself in the third person, please don't.
stop | answering | stop answering before you've read the whole thread
stop | every single commit | I don't want to be notified about every single commit
stop | filler phrases | no filler phrases like "I hope this helps"
stop | asking for permission | you really don't have to keep asking for permission to read files
stop | silently | never silently swallow errors again, I spent two hours on this
stop | translate | I never want you to translate product names
less | lengthy | these messages are too lengthy
less | cheerful | your tone is too cheerful for incident updates
less | shorter | shorter. your updates need to be shorter
less | ping | could you maybe ping me a little less?
less | jargon | I struggle with your jargon, can you use less of it
less | refactorings | Slow down with the refactorings, you change too many things at once
less | brevity | I appreciate brevity, so keep your summaries to three lines
less | bullets | Not so many bullet points, please
stop | document every line | the way you document every line is overkill
more | detail | I'd appreciate a bit more detail on what failed and why, in every report
more | background | please give me more background when you propose a library
more | polite | you should be more polite to the support staff
more | double | double check your math more often
more | explain | don't just paste code, explain more
more | updates | more regular updates during deployments please
start | ask | When you're not sure which account I mean, please ask.
start | changelog | Every time there's a breaking change I want it in the changelog.
start | read-only | use the read-only replica for queries from now on
start | rounded | round all amounts to two decimals from now on
start | tag | Please remember to tag releases
start | subject | always put the project name in the subject line
start | first names | address the team by first names
start | say | if you can't do something just say so
start | commit | you should commit after each step
start | German | my team is German so answer in German please
start | preview | I want to see a preview before anything gets published
start | confirm | confirm the recipient with me before sending mails
start | links | Could you include links to the tickets in your standup notes from now on?
start | one | It'd be nice if you could group your questions into one message
start | timestamps | timestamps in UTC from now on, please
start | lint | as always: lint before commit
start | check | have you checked the cache? always check the cache first when something looks stale
keep | timeline | the timeline view in your reports is gold, keep it
keep | blunt | I like how blunt you are, don't change
keep | dry runs | the dry runs saved me twice, keep doing dry runs
keep | questions | good questions, keep asking those before you start
keep | diff | please continue to show the diff before you apply changes
`);

/** Near-misses of the third lot. */
export const THIRD_MISSES = missCases(String.raw`
task | stop the recording and save the file
task | please stop the migration, it locks the table
task | Don't send it to Paul, send it to Paula
task | could you make the error message less scary?
task | keep only the last ten rows
task | please keep the aspect ratio
task | start a new branch from main
task | can you add more whitespace between the cards
task | reduce the font size
task | remind me to stop by the bakery
task | write a rule that never allows empty names
task | always true conditions should be removed from this file
task | tell Sven he should always lock the door
task | use a shorter timeout
task | answer yes
task | do not include tax in the total
task | give me less technical version of this text
task | I want you to write a poem
task | please check before we go live whether the DNS is set
task | make the bot answer in Spanish
task | set the reply language of the widget to German
task | put more tests into the parser suite
task | try with fewer threads
task | drop the index and recreate it
task | you can delete the branch now
task | Turn down the volume
task | Cancel my subscription, they send too many mails
task | please shorten my bio to 50 words
task | Make sure that the invoice is sent today
task | wait until the deploy is done, then restart
question | do you know why postgres never uses my index?
question | is "always" a reserved word?
question | what does keep alive do?
question | could it be that the cron never ran?
question | how many questions are too many in a survey?
question | when do you stop retrying?
question | Why is the summary so long?
question | which emojis are most used?
question | shouldn't the tests run before the commit?
question | are you supposed to ask before deleting?
reported | the QA lead wants us to write more tests
reported | Pete says our answers are too long
reported | On Twitter people say never deploy on Friday
reported | the README says always run make first
reported | I was told to never share my password
third | the interns never run the tests
third | Their support bot keeps apologising
third | This laptop has too little memory
third | I always put too much salt in
third | The kids should stop fighting
third | our customers want shorter answers
third | The new colleague asks before doing anything, I like that
third | I like short functions
third | I hate mondays
third | my inbox is too full
third | this meeting could have been shorter
third | I don't need the second monitor anymore
third | the model card should mention the license
third | every endpoint should return json
third | I keep getting a 403
third | We told the vendor not to call again
quote | He ended the mail with "keep it short next time".
quote | my prompt is: You are a helpful assistant. Always answer briefly. Never use emojis.
quote | Rate this answer: "Your replies are too long."
quote | Ticket text:\nUsers complain. The bot should stop sending duplicates.\nPlease estimate
praise | You're a lifesaver
praise | that is a great summary
praise | love it, thanks
praise | the new logo is great
negated | no need to hurry
negated | that's not too long at all
negated | I don't mind the long answers
hypothetical | If you were to always ask first, things would take longer
hypothetical | would it help if I wrote shorter prompts?
sarcasm | great, more emails. just what I needed
task | stop the stream and tell me the bitrate
task | do not save the draft
task | don't add the header to this page
task | please make the popup less annoying
task | Can you always-on-top this window?
task | I need a shorter link for the flyer
task | keep an eye on the build
task | keep the door open
task | ask the finance team for more details
task | explain the error to me
task | reply to Jo in French
task | write him that we should meet more often
task | send me the report when you have it
task | tell me before you restart the router
task | remember the milk
task | use bold for the title
task | give me the short version
task | be quick, the meeting starts in 5
task | use more colors in the chart
task | tests first, then the docs
question | do you have to restart it every time?
question | could you be more specific?
question | can you be brief?
question | should commit messages be short?
question | isn't it too long?
question | what would you do less of?
reported | the boss hates it when reports are late
reported | my friend told me never to use Comic Sans
reported | they want us to stop working on this
third | this code repeats itself too much
third | the app should ask before deleting
third | I hate it when the bus is late
third | I'm tired of this bug
third | the linter keeps complaining
third | my team prefers tabs over spaces
third | we need more tests
third | you have to pay taxes every year
third | you need a visa to enter
third | it's annoying when the wifi drops
third | I don't like this library
quote | Their slogan: "Never stop exploring"
quote | "No more bullet points" was the feedback I got
praise | I like how the page looks now
praise | that was fast, nice
praise | thanks for the summary
code | assert never(x)
code | # TODO: always validate input
hypothetical | if the agent always asked, would that be slower?
negated | you don't need to do anything
sarcasm | nice, yet another meeting
`);
