import { missCases, plantedCases } from "./cases.ts";

/** Development cases, the last lot: everyday wishes and what only looks like one: `type | about | text`. */
export const TWELFTH_CORRECTIONS = plantedCases(`
stop | bump the version | Please don't bump the version yourself, the release bot does that.
stop | stock phrases | Stop with the stock phrases.
stop | inventing deadlines | You keep inventing deadlines that nobody agreed on.
stop | personal questions | Don't ask applicants personal questions.
stop | reply on weekends | I don't want replies going out on weekends.
stop | thumbs up | No thumbs up reactions in the incident channel, please.
stop | paraphrase | Quit paraphrasing everything I say back to me.
stop | edit in place | Never edit the original photos, always work on a copy.
stop | speaking German | We have an international team, so no German in commit messages.
stop | promising refunds | You can't promise refunds to people. That's my decision.
stop | creating tickets | please stop creating tickets for every little thing I mention
stop | mass mails | Mass mails are off limits unless marketing signs off.
stop | religion out | I'd rather you left religion out of your replies.
stop | ask for a rating | You don't have to ask for a rating at the end of every chat.
stop | print statements | No print statements in library code.
stop | guess the gender | don't guess people's gender from their name
stop | restart jobs | Jobs that failed must not be restarted without someone looking at the logs.
stop | full paths | I hate seeing full paths in error messages for users, leave them out.
stop | force unwrap | No force unwraps. We crashed twice because of them.
stop | filler words | Words like basically and literally have to go.
stop | praising | Could you stop praising every idea I have? It makes me distrust you.
stop | scrolling gifs | Please no animated GIFs, they trigger my migraine.
stop | mixing | Do not mix refactoring with feature work in the same commit.
stop | interrupting lunch | Don't message me during lunch unless the site is down.
stop | delete history | Deleting chat history isn't allowed here, so don't.
stop | surprise | No surprise upgrades please. Ask before you move to a new major version.
stop | sugar-coat | don't sugar-coat it when my code is bad
stop | auto-translate | Stop auto-translating the customer's message, I speak Spanish.
stop | assume timezone | You assumed I'm in New York again. Please stop doing that.
stop | cheerful sign-offs | The cheerful sign-offs are inappropriate for a funeral home, please drop them.
stop | my home address | My home address must not appear in anything public.
stop | long-running queries | please avoid long-running queries on the primary
stop | tracking links | I don't want tracking links in our mails.
stop | telling customers | Never tell customers that we're short-staffed.
stop | touch the tests | If a test fails, don't change the test to make it pass.
stop | adding headers | Can you please not add a header to every snippet?
less | slides | Thirty slides for a ten minute talk is too many. Fewer next time.
less | tables | Not everything has to be in a table.
less | jargon | Your letters to parents contain too much jargon.
less | lengthy intros | The intros to your articles are too lengthy.
less | checks | You check back with me too often on small stuff.
less | less verbose | Can you be a bit less verbose when you log?
less | enthusiasm | A little less enthusiasm, it's a tax form.
less | logging | There's so much logging that I can't find the errors. Please log less.
less | brackets | you use too many brackets (like this) in your texts
less | cautious | Don't be so cautious with suggestions, I can take it.
less | short version | I only ever need the short version from you.
less | only the serious ones | You send an alert for every hiccup. Only the serious ones from now on, please.
less | commit size | Your commits are too big to review.
less | capital letters | Please use fewer capital letters.
less | words per answer | Keep your answers under 100 words unless I ask for more.
less | steps at once | You give me too many steps at once, I get lost.
less | hedge | hedge less, I want a clear recommendation
less | nested lists | Your lists are nested too deep.
less | small talk | I prefer less small talk and more facts.
less | polite phrases | Cut down on the polite phrases, we talk every day.
less | concise | Please be concise.
less | simpler language | Simpler language, please. Our users are kids.
less | once a week | Once a week is enough for the backup report.
less | overexplaining | You're overexplaining things I already know.
more | white space | Use more white space in your layouts, they look cramped.
more | verbose errors | I'd like error messages you write to be more helpful.
more | checking | Check your sources more carefully, one was satire.
more | hear more from you | I'd like to hear more from you while a deployment is running.
more | alternatives | Suggest more alternatives before settling on one.
more | honest | Please be more honest about what you don't know.
more | examples | Your tutorials could do with more examples.
more | formal | Be more formal when you write to the ministry.
more | effort | I expect more effort in the test descriptions.
more | tests | More tests for error paths, please, that's where we always break.
more | too brief | You're too brief when you hand over to the night shift.
more | questions | Ask more questions before you start. You built the wrong thing twice.
more | regular | Post to the status page more regularly.
more | background | I'm new here, so give me a little more background than you give the others.
more | human | Sound more human in the welcome mails.
more | assertive | You could be more assertive with suppliers who deliver late.
more | headings | Your documents would be easier to read with more headings.
more | care | Take more care with accents in French names.
more | context lines | show more lines of context in your diffs
more | data | Bring more data to back up your proposals.
start | ticket first | Open a ticket before you start working on something.
start | Celsius | Give temperatures in Celsius, please.
start | sign name | Sign emails with "Your support team".
start | feature flags | New features go behind a feature flag.
start | thank donors | Always thank donors by name.
start | docstrings | I'd like docstrings on all public functions.
start | cite studies | Please cite a study when you give health advice.
start | ask age | Ask for the customer's age before recommending a whisky.
start | lowercase | Use lowercase for file names.
start | French | With the Montreal office please write French.
start | tell me first | If you're going to miss a deadline, tell me as early as possible.
start | back up | Back up the database before each migration.
start | recap decisions | End every meeting summary with the decisions.
start | color-blind | I'm colour-blind, so don't rely on red and green, use labels.
start | test data | Use made-up names in test data, never real customers.
start | mention version | When you report a bug, mention the version and the browser.
start | verify identity | Verify who you're talking to before you give out account details.
start | second person | Write instructions in the second person.
start | a day ahead | Let me know a day ahead if a delivery will be late.
start | price per unit | Show the price per unit when you compare products.
start | small steps | go in small steps and let me confirm each one
start | Monday list | I'd like a list of open invoices every Monday.
start | link | Add a link to the source whenever you quote something.
start | squash | Please squash your commits before merging.
start | full sentences | Use full sentences in the minutes.
start | spoiler | Put spoilers behind a warning.
start | numbers | Write out numbers up to twelve.
start | readme | Each new package needs a README.
start | explain first | Explain the plan first and code later.
start | confirm receipt | Please confirm that you got my message, every time.
start | screenshots | In bug reports, include a screenshot.
start | tenant | All requests must carry the tenant id, please make sure of that.
start | check spelling | Run a spell check over anything that leaves the house.
start | calm voice | After eight, please use a calm voice.
start | 24-hour | I prefer 24-hour times.
start | salary | Questions about salary go to HR.
start | four spaces | four spaces for Python, two for everything else
start | language the customer used | Reply in the language the customer used.
start | estimates | I need an estimate with every proposal.
start | give a reason | When you say no to something, give a reason.
start | keep list | Maintain a list of open questions in the doc.
start | cc me on all | CC me on all mails to the bank.
start | profile before | Profile before you optimise.
start | review | Let me review legal texts before they go online.
start | hold calls | Between noon and two I'm with patients, so hold calls then.
start | use pnpm | Use pnpm in this repo, not npm.
start | titles | Please use people's titles, they care about that here.
start | rounding | It would be good if you rounded prices to five cents.
start | rotate | Could you rotate the on-call list fairly from now on?
start | tag owner | you should tag the owner of the module when you open a PR
start | wait for me | Next time wait for me before you start the call.
start | newest first | Sort the log newest first, I always look at the last entry.
start | ask Legal | Check with Legal before you use a customer's logo.
start | dry run | Anything that deletes data needs a dry run first.
start | inclusive | Please use inclusive language in job ads.
start | caption | Every figure gets a caption.
start | plain text | Emails to the lab should be plain text, their client can't do HTML.
start | update every thirty | During an outage I want an update every thirty minutes.
start | one topic | Stick to one topic per email.
start | acronyms | Spell out acronyms the first time.
keep | quick | You answer so quickly, I love that, keep it up.
keep | step | I like the step-by-step explanations.
keep | gentle | The gentle reminders are perfect. Please don't change them.
keep | two-line | These two-line updates are ideal, stay with them.
keep | reasons | It's great that you always give reasons. Keep doing it.
keep | code examples | Your code examples are excellent, more like this please.
keep | proofreading | I'm happy that you proofread my posts, please continue.
keep | daily plan | The daily plan in the morning really helps me, keep sending it.
keep | pushing back | I appreciate that you push back when I'm wrong. Don't stop.
keep | format | That's the perfect format for the board. Use it every time.
keep | polite | Nice how you stayed polite with that rude guy, always do it like that.
keep | sources | Thank you for adding sources, please go on with that.
keep | test first | writing the test first is exactly how I like it, carry on
keep | honest answers | I value your honest answers, keep them coming.
keep | naming | Your naming is spot on. Keep it.
keep | weekly review | Keep doing the weekly review, it's my favourite part of Friday.
`);

export const TWELFTH_MISSES = missCases(String.raw`
task | Bump the version to 2.4.0.
task | Stop the timer at 30 seconds.
task | order them by price, not by rating
task | search by author, not by title
task | group by month, not by week
task | filter by country, not by city
product | Trailing commas are not allowed in JSON.
product | Tabs are not allowed in YAML.
product | Duplicate keys are forbidden in JSON.
task | Create a ticket for the login bug.
task | Please reply to the supplier today.
task | Don't translate the last paragraph.
task | Make the intro of this article shorter.
task | Remove the print statement in line 8.
task | Send Anna the slides, but only the first ten.
task | Write it in German this time.
task | Use less flour next batch? No, just bake it longer.
task | Give me the short version of the contract.
task | add two more tests to user.spec.ts
task | Put the caption under the second figure.
task | Please squash these two commits.
task | Open a ticket for this and assign it to me.
task | Back up my laptop tonight.
task | Check the spelling of "accommodate".
task | could you round the prices in column C?
task | keep the old logo in the footer
task | Don't start the call yet, I'm still in the car.
task | Take the photos from the first folder, not the second.
task | Ask the customer for her order number.
task | no cheese on mine, please
task | Skip the tests for this commit.
task | Let's do the migration on Sunday.
task | Turn the list into a table.
task | Sort the log by date.
task | Please hold my calls until two.
task | Make it more formal, it's for the ministry.
task | Be careful with the vase when you move it.
task | Tell Legal we need an answer by Friday.
task | Use the German template for this letter.
task | Play something calmer.
task | show me where it says that
task | Add the tenant id to this request.
task | I'd like two coffees and a croissant.
task | I want a refund for order 5512.
task | Let me see the last entry again.
task | Stop, wrong file.
task | Please cancel the subscription before the end of the month.
task | Can you make the font a bit smaller on this slide?
task | Would you please send me the link again?
task | For the next slide, use the blue background.
task | Get me the numbers for all regions.
task | Do not reply to this message, I'm just testing.
task | Fix all the lint errors in this file.
task | Start a new document and call it Budget.
task | rename all png files in the folder to lowercase
task | Set up a rule in Outlook that moves newsletters away.
task | Write a policy that says staff must always wear a badge.
question | How do I stop the auto-translation in Chrome?
question | Do you round prices by default?
question | Is thirty slides too many for ten minutes?
question | What's the shortest way to say this?
question | Should I always thank donors by name?
question | Why do people use so many brackets?
question | Can a test be too long?
question | Did the job restart without anyone looking?
question | Which template do you use for letters to the ministry?
question | Could you remind me what the policy says?
question | Are we allowed to use customer logos?
question | do you think the intro is too long?
question | What would you change about my style?
question | How much detail does the board need?
question | Is it normal that it keeps restarting?
question | Can you see my screen?
question | Does every figure need a caption?
question | When is it better to use a list?
question | have you considered using fewer layers here?
question | why did you stop?
quote | "Fewer, better things" is their slogan.
quote | The letter from the bank says I must confirm within ten days.
quote | My coach keeps saying: more patience, less force.
quote | What does she mean by "please be concise"?
quote | The ticket says "do not restart failed jobs". Who wrote that?
quote | A reader complained that my posts are too long.
quote | It says "no dogs" on the door.
quote | Ben wrote in the chat that we should use smaller commits.
quote | From the guideline: always use inclusive language. Where can I find the rest?
quote | In the movie he says never go full throttle.
code | print("please stop")
code | // FIXME: too many allocations, use a pool
code | rule: always-return is enabled in our eslint config
code | except TooManyRequests: wait_longer()
code | SELECT * FROM users WHERE never_logged_in = true
code | The flag --keep-going makes it continue after errors.
code | throw new Error("Do not call this directly")
code | git config --global pull.rebase true, is that right?
praise | Thank you so much for your help today.
praise | Great idea!
praise | The slides look wonderful.
praise | That's a really good point.
praise | you nailed it
praise | Beautiful, I'll send it right away.
praise | I love how this turned out.
praise | Good job, team.
praise | Better than I expected!
praise | What a great summary.
product | Our website must work without JavaScript.
product | The coffee machine needs more beans.
product | The game has too many levels.
product | Our support bot should hand over to a human sooner.
product | The library never throws.
product | New customers get a welcome mail every Monday.
product | The form should have fewer fields.
product | All employees must wear a badge.
product | The app stops when the battery is low.
product | Our prices are always rounded to five cents.
third | Lena always asks more questions than anyone else.
third | My landlord doesn't allow pets.
third | The coach wants us to train more.
third | Dad never uses his phone while driving.
third | The ministry prefers formal letters.
third | Our supplier should deliver more often.
third | The new doctor explains too little.
third | Sam keeps interrupting people.
third | My neighbours are too loud.
third | Somebody should tell him to slow down.
hypothetical | If the list were shorter, would you read it?
hypothetical | Suppose we always squashed, what would we lose?
hypothetical | What if nobody ever wrote tests?
hypothetical | I was wondering if fewer slides would be better.
hypothetical | Perhaps one day we'll write everything in French.
hypothetical | If I said stop, would you stop?
negated | I don't think you should write less.
negated | You didn't do anything wrong, go on.
negated | I'm not complaining about the length.
negated | no need to change your style
negated | That's not what I meant, the tone is fine.
negated | I wouldn't say it's too technical.
statement | I'm colour-blind.
statement | I always forget the password.
statement | We never go there on Mondays.
statement | I have too many tabs open.
statement | My handwriting is terrible.
statement | I like whisky.
statement | I prefer the window seat, but today I don't care.
statement | The migration took longer than planned.
statement | I'm trying to eat less meat.
statement | We started early.
statement | I want to go home.
statement | It keeps raining.
statement | There were more people than chairs.
statement | You look tired.
statement | You wrote 300 lines today, wow.
statement | My team is in Montreal.
statement | I need a new chair.
statement | Every Monday it's the same.
statement | I don't know what to write.
statement | The customer wrote in Spanish.
statement | no time today, sorry
statement | I've never seen that error before.
statement | We're going to need more chairs.
statement | The logo is too big.
language | Écris-moi toujours en français, s'il te plaît.
language | Weniger Text auf den Folien, bitte.
language | Non usare più le emoji.
language | Sluta skicka påminnelser till mig.
language | Пиши короче.
`);
