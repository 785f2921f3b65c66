import { missCases, plantedCases } from "./cases.ts";

/** Corrections that the reviewer was written with: its figures on these say only that it does what it was made to do. */
export const DEV_CORRECTIONS = plantedCases(String.raw`
stop | status updates | stop sending me status updates every five minutes
stop | status updates | Thanks, that worked. Please stop sending me status updates every five minutes, I have them muted anyway.
less | shorter | please keep your answers shorter
stop | push without | I told you not to push without running the tests
less | detail | less detail next time
start | ask before deleting | you should always ask before deleting
less | apologise | don't apologise so much
start | German | from now on reply in German
less | too long | that was too long
stop | no emojis | again: no emojis
keep | short summaries | I love the short summaries, keep doing that
stop | signing off | Can you please stop signing off with your name?
stop | sorry | stop saying "sorry" in every message
stop | rebase | never rebase my branches without asking
stop | smileys | no smileys please
stop | exclamation | just kidding about the tests. but please stop using exclamation marks
stop | explain git | you do not need to explain git to me
stop | guessing | quit guessing file paths
stop | amend | Do not amend commits that are already pushed, ever.
stop | headings | I don't want headings in your replies
stop | change my settings | please dont change my settings without telling me
stop | touch generated files | You should never touch generated files
stop | thank me | You don't need to thank me every time.
stop | restating | I'm tired of you restating what I just said
stop | flattery | Spare me the flattery.
stop | summary | Drop the summary at the end of your answers, please.
stop | adding docstrings | Why do you keep adding docstrings? I never asked for them.
stop | small talk | lets skip the small talk from now on
stop | creating new files | Please avoid creating new files when you can edit an existing one
stop | invent | how many times do i have to tell you not to invent APIs
stop | merge | I asked you not to merge before CI is green.
stop | call me | Please don't call me "buddy".
stop | disclaimers | the disclaimers are unnecessary
stop | assume | never assume the flag is not in force
stop | links | I'd prefer if you didn't add links to Wikipedia
stop | ping me | don't ping me after 6pm unless something is on fire
stop | recommending products | I wish you would stop recommending products
stop | assume | Again you assumed things. Don't assume, ask.
less | verbose | Your responses are too verbose.
less | long | your summaries are way too long
less | chatty | you are too chatty
less | formal | be less formal with me
less | questions | fewer questions please
less | concise | be more concise from now on
less | short | keep your replies short and to the point
less | notifications | Can we have fewer notifications?
less | commenting | stop commenting so much in the code
less | too often | you ping me too often
less | apologies | way too many apologies in your messages
less | technical | Your explanations are too technical for me.
less | tone down | Tone down the enthusiasm please
less | shorter summaries | i would prefer shorter summaries
less | brief | be brief
less | repeating | you repeat yourself too much
less | bold | don't use so much bold text
less | emojis | go easy on the emojis
less | reports | let's keep the reports shorter going forward
less | updates | I don't need that many updates
less | so formal | Don't be so formal
more | detail | give me more detail in your summaries from now on
more | explain | please explain your changes more
more | examples | I'd like more examples in your explanations
more | often | check in with me more often
more | context | your commit messages need more context
more | too terse | Your answers are too terse, I can't follow
more | careful | be more careful when you edit shared config
more | tests | Please write more tests in the future
more | proactive | you could be a bit more proactive
more | comments | more comments in your code please
more | vague | Your error reports are too vague
more | regularly | report progress more regularly please
more | enough | you don't explain your reasoning enough
more | specific | try to be more specific in your commit messages
more | longer | I prefer longer explanations with examples
start | tests before committing | always run the tests before committing
start | run the formatter | make sure you run the formatter before you commit
start | changelog | From now on, please add an entry to the changelog with every feature
start | ask me before | ask me before you change the database schema
start | confirm | You need to confirm with me before sending anything to customers
start | metric | In future use metric units
start | cite | please always cite sources
start | call me | Please call me Alex
start | tabs | I prefer tabs over spaces
start | tell me | when something fails, tell me right away
start | backup | every time you run a migration, take a backup first
start | first line | Your replies should have the answer in the first line.
start | plain | can you answer in plain text from now on?
start | TypeScript | use TypeScript by default for new files
start | warn | I want you to warn me before anything expensive
start | draft | Next time show me a draft before you post it
start | full paths | I already asked you to use full paths
start | jira | remember to link the jira ticket in each PR
start | double check | You should double check dates before you answer
start | asked me first | you should have asked me first
start | update the lockfile | you keep forgetting to update the lockfile
start | wait | I'd like you to wait for the review before merging
start | snake case | as I said, use snake case
start | unsure | If you are unsure, ask me instead of guessing
start | listed the steps | I'd appreciate it if you listed the steps before running them
start | asking before | would you mind asking before you restart services?
start | only | only ping me when something is broken
start | every message | start every message with the ticket id
keep | daily digest | keep sending the daily digest, I like it
keep | asking | I really like that you ask before you push
keep | diagrams | love the diagrams, keep them coming
keep | tone | your tone is great, don't change it
keep | plan | I appreciate how you lay out the plan before coding
keep | bullet summaries | The bullet summaries are super helpful, please keep doing those
keep | warnings | Thanks for always warning me about breaking changes
keep | numbers | I like when you put the numbers first
keep | format | keep using this format for the weekly report, works great
keep | explaining | continue explaining why you chose an approach
keep | short commits | Those short commit messages are perfect. Keep it up!
`);

/** Near-misses that it was written with. */
export const DEV_MISSES = missCases(String.raw`
question | why do you always run the tests first?
question | should I stop the server?
question | do you always answer this fast?
question | how do I stop docker from restarting
question | What does "never" mean in typescript?
question | Is it ok to always use any?
question | can you keep two branches in sync?
question | when should i stop the load test
question | Would you prefer tabs or spaces?
question | can I skip the intro of the course?
question | are you able to reply in German?
question | Why are your answers so short today?
task | stop the server
task | write a shorter function
task | delete the file
task | make the header less wide
task | keep the old config
task | please stop the build
task | don't deploy yet
task | Don't touch the footer in this PR
task | run the tests
task | use the second option
task | add less padding to the card
task | Reduce the number of workers to 4
task | give me more details about the second error
task | make this paragraph more concise
task | rewrite it in a more formal tone
task | Please keep the function signature
task | don't forget to push the branch when you're done
task | tell me more
task | explain this function
task | Answer the customer and tell him we are sorry
task | remember to buy milk
task | when you're done, push the branch
task | once the tests pass merge it
task | use fewer queries in this endpoint
task | the button should never be disabled, fix that
task | don't use the cache for this request
task | skip the flaky test for now
task | drop the users table in staging
task | remove the disclaimers from the landing page
task | start the worker again
task | start with the login page
task | ask Maria for the numbers
task | send fewer requests per second to the API
task | Make the summary on the pricing page shorter
task | only show errors in the log view
task | try to be done by five
task | make sure the tests pass
task | please check the logs
task | more coffee please
task | Use postgres for this project
task | call me when it's done
task | I want you to fix the login bug
task | you should restart the worker
task | Don't merge it until I've looked at it
task | let's stop here for today
task | I need more disk space on this box
task | I'd like a shorter domain name
reported | my boss said stop sending reports
reported | the client told us to never call on Fridays
reported | He always says I should write shorter mails
reported | According to the handbook you must always wear a helmet
reported | my teacher wants me to use fewer adverbs
reported | Our users complained that the replies are too long
reported | the linter says don't use var
quote | she wrote "stop calling me" and hung up
quote | > stop sending me so many messages\n\nwhat does he mean?
quote | Please translate: "Never send me drafts again."
quote | Proofread this: Hi Tom. Please stop sending me reports every day.
quote | Here is the mail I want to send:\n\nHi all,\nfrom now on please always use the new template.\n\nIs that too harsh?
quote | Tom: stop sending me updates\nMe: ok\nwhat should I write next?
quote | From: a@example.org\nSubject: stop\n\nstop sending me mails
quote | the prompt says: always answer in English
code | \`always ask before deleting\` is a comment in the code, right?
code | \`\`\`\nNEVER push to main\n\`\`\`\nthis is in our readme
code | // never call this twice
code | WARN: stop using deprecated flags
code | [10:22] tom: please stop pinging me
code | <contract>\n- STOP: sending status updates\n</contract>
code | npm ERR! do not use legacy peer deps
praise | perfect!
praise | thanks a lot!
praise | great work, keep it up
praise | I love this song
praise | nice
praise | you're the best
praise | I like the new dashboard
praise | good catch
hypothetical | if you stopped now, what would be left?
hypothetical | if I told you to never use loops, what would you do?
hypothetical | suppose you always answered in rhymes
hypothetical | it would be cool if computers were faster
negated | don't stop
negated | I'm not asking you to be shorter
negated | no need to rush
negated | you don't have to be sorry
negated | don't worry, take your time
third | users should always log in first
third | the intern asks too many questions
third | My emails are too long
third | our app sends too many push notifications
third | this function does too much
third | the parser should never throw
third | I always use vim
third | we should stop using jquery
third | every user must confirm their address
third | The error messages in our app are too vague
third | I keep forgetting my password
third | The docs need more examples
third | people talk too much
third | it never rains in July
third | the tests are too slow
third | my answers in the interview were too short
third | you can always add more memory later
sarcasm | oh great, another status update
sarcasm | yeah sure, send me five more reminders
`);
