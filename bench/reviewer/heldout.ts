import { plantedCases } from "./cases.ts";

/**
 * Corrections as people put them, written down before the reviewer was, and never used to write it: `type | about | text`, where
 * `about` stands in the sentence that must be found and `\n` is a new line.
 */
export const HELD_OUT_CORRECTIONS = plantedCases(String.raw`
stop | pinging me | hey, can you stop pinging me every time a job finishes? it's really distracting
stop | confirmation on trivial stuff | quit asking me for confirmation on trivial stuff
stop | summary at the end | I don't need a summary at the end of every reply. The diff is enough.
stop | bullet points | no more bullet points please, just write normal sentences
stop | force push | Never force push to main again.
stop | lockfile | Looks good. One thing: do not touch the lockfile unless I ask you to.
stop | adding comments | you keep adding comments to code I didn't ask you to comment
stop | no emojis | ugh, again with the emojis. I said no emojis
stop | exclamation marks | Please refrain from using exclamation marks.
stop | open PRs | I'd rather you didn't open PRs on your own.
stop | start every message | can u not start every message with Great question
stop | disclaimers | Enough with the disclaimers already
stop | repeat my question | there's no need to repeat my question back to me
stop | reformat files | I've asked you twice now not to reformat files you're not editing
stop | pleasantries | drop the pleasantries, just answer
stop | intro paragraph | skip the intro paragraph from now on
stop | for loop | you don't have to explain what a for loop is to me, I've been doing this for 20 years
stop | guess | Next time don't guess, just tell me you don't know
stop | rewrite the whole file | it annoys me when you rewrite the whole file for a one-line change
stop | abbreviations | going forward, avoid abbreviations in variable names
stop | apologizing | Pls stop apologizing, its fine
stop | .env files | you must never commit secrets or .env files
stop | migrations against prod | Don't ever run migrations against prod without my ok
stop | motivational quotes | cut it out with the motivational quotes lol
stop | answer in tables | I hate it when you answer in tables
stop | marketing language | leave out the marketing language when you write release notes
stop | rhetorical questions | ok merged. also please don't end your messages with rhetorical questions
stop | emails on weekends | You are not supposed to send my customers emails on weekends!
stop | invent file names | dont invent file names, look them up
stop | without asking | stop changing the public api without asking me first
stop | bold text | I can't stand all the bold text you use
stop | assume | Please do not assume I'm on Windows.
stop | sudo | for the last time, do not use sudo
stop | closing tickets | You shouldn't be closing tickets before I've confirmed the fix
stop | patronizing | quit being so patronizing
stop | restarting the whole conversation | stoping me mid way is ok, but pls stop restarting the whole conversation each time
less | too long | your replies are way too long, I can't read all that on my phone
less | enthusiasm | a bit less enthusiasm would be great
less | jargon | can you tone down the jargon a little
less | short | keep it short from now on, two or three sentences max
less | concise | Please be more concise.
less | too many questions | you ask too many questions before you get going
less | status pings | fewer status pings during the night please
less | verbose | try to be less verbose when you report test results
less | too much detail | That was way too much detail for a yes/no question.
less | apologise | don't apologise so often
less | commit messages | shorter commit messages from now on
less | over-explain | You over-explain everything.
less | formatting | could you dial back the formatting? So many headings.
less | shorter answers | Thanks! In general I'd prefer shorter answers though.
less | emojis | not so many emojis please
less | smaller commits | Smaller commits please, I can't review 2000 lines at once
less | chatty | you're being too chatty
less | exclamation marks | Ease off on the exclamation marks, would you
less | verbose | Works. Your explanations are too verbose tho
less | wordy | I find your updates a bit wordy
less | notifications | I get far too many notifications from you
less | short | hey could you please keep your messages short, i'm usually on the train
less | flowery | the language in your drafts is too flowery for my taste, tone it down
less | long-winded | stop being so long-winded
less | briefer | Be briefer.
less | hedge | you hedge too much, just commit to an answer
more | error reports | I'd like more detail in the error reports you write
more | reasoning | explain your reasoning more, I want to learn
more | check in | please check in with me more often during long jobs
more | examples | you should give more examples when you explain a concept
more | too short | Your summaries are too short, I don't get the why
more | commit messages | more context in commit messages next time
more | careful | Be more careful with my production data going forward.
more | longer explanations | I need longer explanations when it's about security
more | specific | can you be more specific when you report a failure
more | update me | update me more regularly while an import is running
more | more tests | write more tests from now on
more | detail | not enough detail in that plan, I need file names next time
more | proactive | I wish you were more proactive about flaky tests
more | direct | please be more direct with me when something is a bad idea
more | thorough | you need to be more thorough in your reviews
more | citations | more citations in your research answers please
more | verbose | be a bit more verbose in your log of what you did
more | screenshots | I'd appreciate more screenshots in your bug reports
start | Spanish | from now on, reply in Spanish
start | linter | Always run the linter before you tell me it's done.
start | install new packages | you should ask me before you install new packages
start | ticket number | In future please include the ticket number in the branch name
start | diff first | next time, show me the diff first
start | British spelling | I want you to use British spelling
start | back up the db | make sure you always back up the db before a migration
start | cite your sources | remember to cite your sources
start | which files you changed | when you finish something, tell me which files you changed
start | ask first | Whenever you delete something, ask first.
start | call me Sam | call me Sam, not Samuel
start | summary at the top | Going forward I want a short summary at the top of each report
start | use tabs | I told you to use tabs
start | metric units | as I said before, use metric units
start | link to the docs | it would be great if you could link to the docs whenever you mention an API
start | wait for my approval | I'd like you to wait for my approval before merging anything
start | confirming before you send | would you mind confirming before you send emails on my behalf?
start | always run them | you forgot to run the tests again. always run them before committing
start | drop tables | why didn't you ask me first? ask before you drop tables, always.
start | conclusion | Your answers should start with the conclusion.
start | next step | Every reply should end with the next step
start | validate it | every time you edit the config, validate it
start | test first | please get into the habit of writing the test first
start | staging key | use the staging key by default from here on out
start | double-check the numbers | I expect you to double-check the numbers before reporting them
start | plain text | can you always answer in plain text? markdown doesn't render here
start | changelog | Merged, thanks.\nPlease also update the changelog whenever you change the public API.
start | tell me when | You need to tell me when something fails instead of silently retrying
start | conventional commits | for all future commits use conventional commits
start | pros and cons | When I ask for options, always give me pros and cons.
start | assumptions | I need you to list your assumptions before you start coding
start | English | please answer in english from now on, my colleagues read along
start | check the calendar | you always forget the time zone. check the calendar before proposing a slot
start | async/await | i prefer async/await over promise chains
start | estimate | In the future, give me an estimate before you start
start | read the readme | next time read the readme before asking me
start | formal | Please use a formal tone with my clients.
keep | one-line summaries | love the one-line summaries, please keep those
keep | list the risks up front | the way you list the risks up front is really helpful, keep doing that
keep | morning overview | Keep sending me the morning overview, it's great
keep | ask before deleting | I like that you ask before deleting. don't change that
keep | commit messages | your commit messages are great now, keep them like this
keep | short version first | continue giving me the short version first, that works well
keep | linking the ticket | thanks for always linking the ticket, that helps a lot
keep | run the tests before | I really appreciate that you run the tests before telling me its done
keep | changelogs | Keep up the detailed changelogs
keep | before/after numbers | nice, the table with before/after numbers is super useful. keep it up
keep | plan first | I really like how you show me the plan first. Please continue to do that.
keep | tone | The tone of your emails is spot on, keep it that way
keep | checklist | keep using the checklist format, it works great for me
keep | warning me | thank you for warning me before risky commands, please keep that up
`);
