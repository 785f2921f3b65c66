import { missCases, plantedCases } from "./cases.ts";

/** More corrections that the reviewer was written with: longer, in other voices. */
export const MORE_CORRECTIONS = plantedCases(String.raw`
stop | auto-formatting | The fix is fine, but please stop auto-formatting files I didn't ask you to touch.
stop | calling me sir | pls stop calling me sir
stop | tagging the whole team | You tagged the whole team again. Don't do that. Please stop tagging the whole team in tickets.
stop | hallucinating | stop hallucinating function names!!
stop | ask permission | you don't need to ask permission for read-only commands
stop | as an AI | I'm sick of hearing "as an AI language model".
stop | amending | seriously, no more amending commits
stop | push to main | do NOT push to main directly, always open a PR
stop | motivational | Skip the motivational stuff in your replies please
stop | restating the task | there is no need for restating the task every time. there's no need to restate the task every time
stop | console.log | please don't leave console.log statements in the code you write
stop | em dashes | can you please not use em dashes
stop | recap | I really don't need a recap of what we just discussed
stop | send drafts | never send drafts to clients without my approval
stop | rename things | don't rename things unless I ask
stop | delete | Whatever you do, never delete anything in the archive folder
stop | speculate | Please don't speculate about causes, only report what you measured
stop | upsell | quit trying to upsell me
stop | long lists | Stop giving me long lists of options, just pick one
stop | installing | you keep installing dependencies globally. not ok
stop | ignore my | you keep ignoring my style guide
stop | sarcastic | drop the sarcastic tone
stop | voice messages | I don't want voice messages from you anymore
stop | questions at the end | no questions at the end of your messages please
stop | summarize | You do not have to summarize every file you read.
stop | cc my manager | Please never cc my manager on these
stop | weekends | don't message me on weekends
stop | touching tests | Stop touching the tests to make them pass
stop | interrupt | it really bothers me when you interrupt a running job
stop | nicknames | I'd appreciate it if you stopped using nicknames
stop | markdown | markdown looks terrible in this terminal so don't use it
stop | filler | cut the filler
stop | hedging | Enough hedging.
stop | checking in | you can stop checking in every ten minutes, I trust you
stop | all caps | no all caps in subject lines please
less | dense | your paragraphs are too dense
less | long | I feel like your answers are getting too long
less | noise | less noise in the channel please
less | pushy | You're a bit too pushy with suggestions
less | commit often | Commit less often please, the history is unreadable
less | details | I don't need so many details in the daily report
less | wordy | please make your replies less wordy
less | explanations | cut down on the explanations, i know the codebase
less | simple | keep your explanations simple
less | updates shorter | Make your updates shorter.
less | formal | try to sound less formal
less | reminders | way too many reminders, I get it
less | smaller PRs | I'd like smaller PRs from you
less | half as long | your reports should be half as long
less | bombard | don't bombard me with so many notifications
less | caveats | you add too many caveats
less | repetitive | you're getting repetitive
less | eager | You are way too eager to refactor
less | paragraphs | answer in one or two sentences from now on, not five paragraphs
less | to the point | get to the point faster
less | comments | reduce the amount of comments in your code
more | structure | I'd love a bit more structure in your answers
more | rationale | include more rationale in your PR descriptions going forward
more | heads-up | give me more of a heads-up before big changes next time
more | curious | be more curious: ask about the goal before you start
more | frequently | please commit more frequently
more | code samples | more code samples in your explanations, less theory
more | patient | be more patient with the new users
more | Update me | Update me more often.
more | log | you should log more of what you do
more | friendly | be friendlier to customers
more | detailed | I want more detailed commit messages
more | thorough | your code reviews are not thorough enough
more | shallow | Your research is too shallow
more | humor | a little more humor wouldn't hurt in your posts
more | critical | Please be more critical of my ideas
start | read the whole file | always read the whole file before editing it
start | ISO dates | use ISO dates from now on
start | tell me upfront | if something takes longer than expected, tell me upfront
start | dry run | before running anything destructive, do a dry run
start | file paths | I need you to mention the file paths when you describe a change
start | verify | verify your claims before you state them
start | co-author | Please add me as co-author on every commit
start | test coverage | each PR should mention the test coverage
start | lower case | write commit messages in lower case please, always
start | in doubt | when in doubt, ask
start | one question | ask one question at a time
start | code first | give me the code first and the explanation after, every time
start | rollback plan | You must include a rollback plan with each deployment
start | my time zone | please use my time zone (CET) for all meetings
start | salutation | start your emails with a proper salutation
start | let me know | let me know before you spend more than 10 dollars
start | same language | always respond in the language I write in
start | first person | I want all reports written in first person from now on
start | type hints | you should be adding type hints to every function you write
start | check twice | check twice before you email anyone
start | stick to | stick to the style guide when writing code
start | stash | as I mentioned yesterday, stash my changes before switching branches
start | push back | I want you to push back when I'm wrong
start | ticket | can you make it a habit to reference the ticket in your commits?
start | pnpm | I told you already: use pnpm
start | keep me posted | keep me posted whenever you hit a blocker
start | plain words | explain things in plain words when talking to my mother
start | branch | create a branch for every change, never work on main
start | quote sources | I'd rather you quote your sources
start | say so | if you don't know, say so
start | approve | nothing goes out without my approval from now on
start | Oxford | please use the Oxford comma
start | ask for clarification | Ask for clarification instead of making assumptions
start | respect | respect the quiet hours I set, please
keep | estimates | the estimates you add at the end are really useful, please keep adding them
keep | concise | your answers are nice and concise lately, keep it that way
keep | questions upfront | I like the clarifying questions upfront, keep those coming
keep | screenshots | Great that you attach screenshots, please continue doing so
keep | weekly report | please keep writing the weekly report in this style
keep | alternatives | I appreciate you always offering alternatives
keep | diff | showing me the diff before applying it was perfect, do that every time
keep | checking | keep checking with me before big refactors
keep | links | Really helpful that you add links to the docs, don't stop doing that
keep | humor | love your dry humor, never change
keep | step by step | the step by step explanations work really well for me, please stick with that
keep | morning | i enjoy the morning briefings, keep them up
keep | examples | I find the examples you give super helpful. Keep giving examples!
keep | honest | I value that you are honest about uncertainty
`);

/** More near-misses that it was written with. */
export const MORE_MISSES = missCases(String.raw`
question | Is there a way to make you stop?
question | how often should I commit?
question | Why does it say never in the type?
question | What should I keep in mind when deploying?
question | do you think my answers are too long?
question | can you always trust the cache?
question | could you be wrong about this?
question | how can I be more concise in my writing?
question | Should we use fewer microservices?
question | does the agent always ask before deleting?
question | could you explain why you always use const
question | would you say this function is too long?
question | what's the best way to stop a runaway process
question | Have you stopped the cron job?
question | do you want me to stop?
question | How do I tell my coworker to stop interrupting me?
question | will it keep running after I log out?
task | stop the music
task | stop container 4f2a and remove it
task | stop the timer please
task | please don't merge PR 42 until QA signs off
task | write more tests for UserService
task | Add more logging to the payment module
task | can you make the description more detailed?
task | make it shorter
task | shorter please
task | a bit more formal please
task | use less memory in this loop
task | Be careful with the prod database here
task | keep the changes on the branch for now
task | keep me in the loop on this deployment
task | don't change the public API in this refactoring
task | never mind, I found it
task | use tabs in this file
task | reply to Anna that we're not interested
task | Remove all emojis from the changelog
task | cut the second paragraph
task | tell the team to stop deploying on Fridays
task | write a polite mail asking them to send fewer newsletters
task | update the bot's prompt so it never apologises
task | add a check so users can't skip the intro
task | configure eslint to always require semicolons
task | leave the TODOs in, I'll handle them
task | no, the other file
task | No tests for this one please
task | don't bother with the docs today
task | hold the release until Monday
task | let me know when the build is green
task | ask me again tomorrow
task | Please use the attached template
task | give me three more ideas
task | explain it in more detail
task | please check in the code
task | start over
task | Continue with step 3
task | try again but with fewer iterations
task | Create an alert when there are too many errors
task | make the tooltip text less technical
task | rename the variable, it is too long
task | can you tone down the color of the button
task | I want a shorter commute, find me flats near the office
task | Schedule a reminder every Monday at 9
task | I need you to book a table for two
task | you need to run npm install first
task | please make sure the server is running
task | always-on mode should be enabled for this VM
task | skip to the end of the video
task | drop the last commit
task | please ignore my last message
task | just do it
reported | Mia thinks the onboarding is too long
reported | someone on the internet said you should never use regex for html
reported | my wife keeps telling me to be more patient
reported | The doctor told me to stop drinking coffee
reported | our lawyer says we must always ask for consent
reported | They asked us to keep our answers short in the survey
reported | The teacher wants shorter essays
reported | QA reported that the app sends too many requests
quote | The reviewer left this comment: "Please stop using magic numbers."
quote | His exact words were “never contact me again”
quote | Review this feedback: Your answers are too long. Please be more concise.
quote | Here's the ticket:\n\nAs a user I want fewer notifications.\nAlways send a digest instead.\n\nHow long would that take?
quote | Customer: please stop charging my card\nSupport: sorry about that\n\nWrite a better reply
quote | > Never use tabs.\n> Always use spaces.\n\nI disagree with this style guide
quote | "Keep it short" is good advice
quote | add this to the docs: never run this in production
quote | Summarize this:\n\nYou should always wash your hands. Never skip breakfast. Stop smoking.
code | the commit message is "stop using legacy auth"
code | \`\`\`yaml\nrules:\n  - never push to main\n\`\`\`\nadd a rule below that
code | in line 12 it says # always call close()
code | $ echo "never do this"
code | Error: you must always provide a key
code | 12:01:44 bot: from now on I reply in German
code | {"instruction": "always be brief"}
code | the regex is /stop sending/i
praise | amazing, thank you so much
praise | excellent answer
praise | well done!
praise | I'm happy with the result
praise | this is exactly what I needed
praise | you rock
praise | that's better
praise | I like it
praise | cool, keep going
praise | thanks for fixing the bug
praise | Thanks for the quick reply!
hypothetical | what if you replied only in emojis?
hypothetical | If we always deployed on Fridays we'd be in trouble
hypothetical | let's say the agent never asks. What breaks?
hypothetical | I could ask you to be shorter, but I won't
hypothetical | maybe one day I'll want daily reports
negated | please don't stop what you're doing
negated | I never asked you to stop
negated | it's not that your answers are too long
negated | don't get me wrong, I like long answers
negated | you don't have to change anything
third | The API docs say the token never expires
third | our support team should reply faster
third | this song is too long
third | My kids never listen
third | The agent at the airport was too slow
third | developers should write more documentation
third | The old version always crashed on startup
third | I'm trying to eat less sugar
third | I need more sleep
third | The invoice should always contain the VAT number
third | my mother always calls at the wrong time
third | we keep getting timeouts from the gateway
third | the cache keeps growing
third | The report page loads too many images
third | I should be more careful next time
third | next time I'll use a different library
third | from now on the office closes at six
third | every commit triggers a build
third | The newsletter goes out too often
third | I told him to stop
third | the previous contractor never wrote tests
third | the chatbot on their site apologises too much
third | our code reviews take too long
third | I don't need the backup anymore, delete it
third | I don't want sugar in my coffee
third | I prefer the blue one
third | the answer is always 42
third | Emails from the bank are too formal
sarcasm | oh wonderful, please keep breaking the build
sarcasm | sure, because everyone loves 3am alerts
sarcasm | wow, thanks for deleting my branch /s
`);
