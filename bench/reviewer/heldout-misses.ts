import { missCases } from "./cases.ts";

/** What looks like a correction and is none; written down before the reviewer was, never used to write it: `kind | text`. */
export const HELD_OUT_MISSES = missCases(String.raw`
question | Why do you always run the linter before the tests?
question | should I stop the worker before I migrate?
question | Do you never use tabs?
question | what happens if I stop sending heartbeats?
question | is it better to always pin versions?
question | how do I make git stop asking for my password every time
question | Do I have to keep the old certificates around?
question | why does the api stop responding after five minutes
question | Can you explain why we should never store passwords in plain text?
question | Would it be better to use fewer containers?
question | are shorter functions always better?
question | how can i get more detail out of the profiler
question | When should I use always() in a github workflow?
question | Could you tell me how to stop the daemon?
question | did you stop the import like I asked?
question | which of these should we keep?
question | can you always merge two dicts like that in python?
question | why did you not use the existing helper?
task | stop the server
task | please stop the dev container and start it again
task | Write a shorter version of this function.
task | delete the branch feature/login
task | make the header less wide
task | keep the old config
task | Start the postgres container please
task | Can you make the title shorter?
task | add more tests for the parser
task | Don't delete the backup yet, I still need it for the restore
task | use fewer columns in this table
task | please remove the emojis from the README
task | rewrite this paragraph so that it is more formal
task | translate this into German
task | run the tests again
task | give me a more detailed breakdown of last month's costs
task | stop the job if it takes longer than an hour
task | don't include the test files in the zip
task | shorten the intro by half
task | No need to run the migration, I did it by hand
task | the error message should be shorter, change it
task | Let's not merge this today
task | please leave the footer as it is
task | add a rule so that the linter always complains about console.log
task | Write a cron job that sends fewer emails
task | skip the second test for now
task | For this PR please use the old template
task | just this once, push without running the tests
task | can you check whether the nightly job is still running?
task | hold on, don't push that yet
task | show me more rows
task | more please
task | continue
task | keep going
task | stop
task | Stop here, I need to think.
task | wait, not that file
task | undo that and use the other branch instead
task | Set the log level to debug so we get more output
task | please always-enable the feature flag for tenant 12
task | reduce the number of retries to three
task | Draft an email telling the vendor to stop sending us paper invoices
task | Make the bot in our discord never reply to itself
task | summarize this in two sentences
task | tell me a shorter joke
reported | my boss said stop sending reports
reported | The customer complained that we send too many emails.
reported | our old assistant used to apologise all the time, you should have seen it
reported | She told me I should always ask before deleting anything
reported | The reviewer wrote that the functions are too long
reported | According to the docs you should always close the connection.
reported | he keeps telling me my mails are too long
reported | the style guide says never use abbreviations
reported | My manager wants me to send fewer status updates
reported | legal told us to stop using that font
quote | "stop sending me status updates" is what he wrote back, what should I answer?
quote | Can you improve this sentence: "Please keep your answers shorter."
quote | > please stop using so many bullet points\n\nThat was the feedback on my slides. Any idea?
quote | > from now on reply in French\n> never use emojis\n\ndo you think that prompt works?
quote | The sign says “do not feed the animals”, translate it to Dutch
quote | How would you phrase "be more concise" in a friendlier way?
quote | Subject: Re: newsletter\nFrom: Tom Berg <tom@example.org>\n\nPlease stop sending me these mails.\nTom
quote | ---------- Forwarded message ---------\nFrom: Ines <ines@example.org>\nDate: Mon, 3 Nov 2025\nSubject: deploys\n\nFrom now on always ask me before you deploy.
quote | On Tue, Oct 7, 2025 at 9:12 AM Lea Wolf <lea@example.org> wrote:\n> never send me drafts again\n\nHow do I reply to that politely?
quote | Here is the prompt of our support bot:\n\n\`\`\`\nAlways answer in English. Never apologise. Keep your answers short.\n\`\`\`\n\nCan you spot problems?
quote | the system prompt has 'never reveal your instructions' in it, is that enough?
code | \`\`\`python\n# always ask before deleting\ndef delete(x):\n    pass\n\`\`\`\nwhat does the comment mean
code | I get this: \`warning: do not use tabs\` when I compile
code | ERROR: do not run this command as root\nERROR: stop all services first\n\nwhat now?
code | 2025-11-03 10:12:01 WARN please use fewer connections\n2025-11-03 10:12:02 WARN always close the pool\nwhat is that about?
code | the output was:\n    stop: you should always run this as admin\n    never use --force\nis that dangerous?
code | <system-reminder>\nFrom now on never ask the user.\n</system-reminder>\nwhat is this thing in my log?
code | <GATEWAY_BEHAVIOR_CONTRACT version=3 hash=abc>\n- STOP: sending status updates\n- KEEP: short answers\n</GATEWAY_BEHAVIOR_CONTRACT>\nis this the block you get?
code | TODO: stop using the old client everywhere. That is in line 12 of api.ts, can you find more of those?
praise | perfect!
praise | great job, thanks
praise | love it
praise | Nice work, that did the trick
praise | I like this movie
praise | thanks, that helps a lot
praise | awesome, ship it
praise | That was quick.
praise | I love how Rust handles errors
hypothetical | if you stopped the container now, would we lose data?
hypothetical | If I asked you to always answer in French, could you?
hypothetical | imagine you had to reply with fewer words, what would you cut?
hypothetical | Suppose users never log out. What then?
hypothetical | I might want shorter reports one day, not sure yet
hypothetical | it would be nice to have more memory in this laptop
negated | don't stop
negated | I'm not saying you should always ask
negated | you don't need to be any shorter, this is fine
negated | Don't worry about the long answer
negated | no need to apologise!
third | users should always log in first
third | The app sends too many notifications to our customers.
third | our website is too slow and the texts are way too long
third | The nightly job should never run twice
third | the team needs to write more tests
third | My code always crashes when the list is empty
third | I should really stop working so late
third | we always deploy on Tuesdays
third | The meetings are too long and there are too many of them
third | kids these days spend too much time on their phones
third | I need to be more careful with money
third | this test never passes
third | The build takes too long
third | the summary field in the form should always be required
third | your competitor's api returns too much data
third | I never said that
third | the logs are way too verbose since we upgraded nginx
third | Our onboarding mails need more personality
third | I always forget how rebase works
third | every request should carry a trace id
third | That function is too long.
third | You can never be too careful with regexes
third | you never know what customers will type in there
sarcasm | oh sure, please send me even more emails
sarcasm | yeah because what I really need is another 40 page report
sarcasm | Great, another apology.
`);
