// Written by bench/reviewer/fit.ts from the development cases; see docs/learning-corrections.md. Not written by hand.

/** What each feature of a sentence speaks for a wish that lasts (more than 0) or against it. `w:` is a single word. */
export const WISH_WEIGHTS = `
bias -0.8 | again 0.56 | alone 0.9 | always 0.5 | ask+again -1.03 | ask+always 0.88 | ask+brief 0.6 | ask+calendar 0.83 | ask+condition -0.3
ask+dislike -0.18 | ask+excess 0.48 | ask+first 0.28 | ask+instead 0.97 | ask+lasting -0.3 | ask+less 0.45 | ask+me -0.21 | ask+more 0.5
ask+named -0.28 | ask+narrated -0.2 | ask+never 0.47 | ask+no_need -0.19 | ask+once -0.92 | ask+ordinal -1.49 | ask+please -0.29 | ask+pointed -1.74
ask+reported 0.55 | ask+should -1.09 | ask+speech 0.52 | ask+style 0.45 | ask+such 0.83 | ask+the-thing -0.57 | ask+third 0.97 | ask+to_me 0.38
ask+too 0.36 | ask+want -0.38 | ask+your 1.02 | ask+your-work 0.32 | asked -0.82 | asked:plain -2.3 | asked:politely -0.53 | asks-before-doing 2.48
asks-each-time 1.69 | asks-for-words -1.57 | asks-in-each 1.51 | asks-lasting 0.78 | be-more 1.37 | before:praise -1.39 | before:you -0.77
before:your -0.4 | beside:amount-clause -0.28 | beside:dislike-clause 0.47 | beside:do-clause 0.41 | beside:doing-clause 0.98 | beside:each-clause -0.19
beside:i-clause 0.25 | beside:if-clause -0.89 | beside:it-clause 0.14 | beside:keep-clause -0.41 | beside:me 0.59 | beside:my-clause -0.45
beside:narrated -0.13 | beside:once -1.64 | beside:ordinal -0.67 | beside:plural-clause 1.95 | beside:product -0.48 | beside:quote-clause -0.64
beside:reported -0.82 | beside:should 0.24 | beside:the-clause 0.69 | beside:too-clause -0.29 | beside:we-clause 0.66 | beside:wh-clause -0.26
beside:when-clause 0.79 | beside:work 0.82 | beside:you-clause 0.68 | beside:your-clause 0.73 | bound -0.58 | brief 0.38 | but_not 0.65 | calendar 0.96
capital -0.28 | complaint+always 0.86 | complaint+calendar -0.16 | complaint+condition -0.21 | complaint+dislike -0.63 | complaint+each -0.33
complaint+excess 0.68 | complaint+from_you 0.49 | complaint+me -0.35 | complaint+narrated 0.45 | complaint+please -0.87 | complaint+praise 0.22
complaint+speech 1.49 | complaint+the-thing 0.17 | complaint+to_me -0.73 | complaint+too -0.84 | complaint+too_many 0.11 | complaint+want -0.87
complaint+you 0.22 | complaint+your -0.26 | complaint+your-work -0.14 | condition 0.88 | dislike:act -0.18 | dislike>many -0.23 | do:act -1.44
do:talk 0.14 | do>a -1.31 | do>bare 0.3 | do>end -0.25 | do>every -0.33 | do>it -0.12 | do>many 0.83 | do>my 0.46 | do>prep 0.22 | do>quote -0.12
do>the -0.5 | do>this -0.59 | do>when 0.32 | do>your 0.14 | does-many 1.12 | does-one 0.12 | does-pronoun -0.8 | dont 0.9 | dont-many 1.36
dont:act -0.1 | dont:style -0.56 | dont:talk 0.89 | dont>a 0.22 | dont>end -0.5 | dont>it 0.55 | dont>many 0.3 | dont>my 0.29 | dont>the -0.29
each 0.35 | ensure 0.73 | ever-do 1.42 | excess 0.68 | exclaimed -0.5 | first 1.22 | forgets -0.6 | frame:dislike 0.23 | frame:dont 0.15
frame:ensure 0.72 | frame:keeps 0.69 | frame:needless -0.15 | frame:no -0.29 | frame:polite -1.52 | frame:should 1.17 | frame:stop 0.26 | frame:told 0.4
frame:wish 0.35 | from_you 0.16 | gives-me-more -1.11 | how 0.2 | hypothetical -2.21 | instead 1.06 | keep 0.73 | keep:act -0.16 | keep:style -0.14
keep:talk 0.28 | keep>a 0.13 | keep>bare -0.59 | keep>doing 0.18 | keep>the -0.58 | keep>this 0.58 | keep>your 0.18 | keeps -0.55 | keeps-praised 0.27
keeps:talk 0.35 | keeps>many 0.32 | lacking 0.21 | lasting 1.35 | less -0.77 | less-talk 2.12 | like_that 0.71 | likes-what-you-do 2.06 | little -0.29
main:dislike 0.23 | main:do -0.64 | main:doing 0.68 | main:dont 0.15 | main:each -0.4 | main:i -0.75 | main:if -0.4 | main:it -0.22 | main:keeps 0.69
main:needless -0.15 | main:no -0.29 | main:nothing -0.46 | main:quote -0.53 | main:stop 0.26 | main:the -0.19 | main:there -0.16 | main:they -0.69
main:too 0.29 | main:we 0.21 | main:wh -0.48 | main:you -0.4 | main:your 0.73 | me 0.12 | mood:ask -0.21 | mood:of-you -1.06 | mood:praise -0.31
mood:question -2.11 | mood:state -0.75 | more -0.21 | more-of-it -0.11 | more-than 0.27 | more_brief 0.4 | more_often 0.78 | must-be 0.71 | named -1.08
names-a-way 0.76 | narrated -0.68 | needless:act -0.29 | needless:style 0.35 | needless:talk -0.2 | needless>bare -0.48 | never -0.17 | next:again 1.25
next:always 1.81 | next:asked -1.07 | next:dislike 0.61 | next:keep 1.87 | next:lasting 1.54 | next:never -0.56 | next:praise 1.11 | next:stop 1.45
no 0.8 | no-more 0.62 | no-stop -2.38 | no-stop-doing 2.88 | no:talk -0.22 | no>bare 0.17 | no>many -0.78 | no>the 0.21 | no_need 1.01 | not -0.26
not-so-much 0.42 | not_done -0.25 | nothing-without 0.77 | of-myself -1.02 | of-somebody -1.46 | of-the-thing -0.72 | of-you+again 0.52
of-you+each -0.18 | of-you+from_you -0.43 | of-you+me 0.51 | of-you+more 0.46 | of-you+reported 0.95 | of-you+should 0.31 | of-you+speech -0.33
of-you+the-thing 0.44 | of-you+to_me 0.99 | of-you+work 0.67 | of-you+you -0.27 | of-you+your -0.47 | of-you+your-work -0.81 | once -2.72 | ordinal -2.44
please 0.45 | pointed -1.04 | politely-less 1.1 | praise 0.32 | praise+each -0.12 | praise+first 0.32 | praise+narrated 0.31 | praise+please -0.2
praise+praise -0.31 | praise+speech 0.85 | praise+style 0.71 | praise+the-thing 0.25 | praise+work 0.59 | praise+you 0.41 | praise+your -0.33
praise+your-work 0.17 | praise-alone -1.81 | praised-to-keep 1.69 | praises-and-keeps 1.75 | product -1.72 | question+again 0.6 | question+always -0.57
question+brief -0.45 | question+calendar -0.23 | question+capital -0.32 | question+excess -0.62 | question+first 0.29 | question+from_you -1.02
question+hypothetical -0.3 | question+keep 0.56 | question+lasting 0.6 | question+less -0.33 | question+me -0.22 | question+more -0.15
question+narrated -0.24 | question+never -0.35 | question+please 0.22 | question+pointed 0.42 | question+praise 0.43 | question+should -0.18
question+speech -0.23 | question+style -0.57 | question+the-thing 0.74 | question+third -0.3 | question+too_many -0.12 | question+want -0.3
question+work -0.19 | question+you 0.45 | question+your -0.12 | question+your-work -0.12 | quotes -0.64 | reduce 1.09 | reported -0.89 | sarcastic -3.34
says-no-to-doing 1.83 | says-no-to-many 1.47 | says-no-to-one -1.27 | says-no-to-talk 1.02 | should -0.56 | somebody-ever -1.73 | speech 0.93
state+again -0.33 | state+always -1.24 | state+calendar -0.39 | state+capital 0.17 | state+condition 0.45 | state+dislike 0.34 | state+each 0.53
state+from_you 0.69 | state+hypothetical -0.44 | state+keep -0.19 | state+lasting -0.31 | state+less -0.7 | state+me 0.39 | state+more -1.19
state+narrated -0.67 | state+never -1.09 | state+no_need 0.63 | state+once -0.14 | state+ordinal 0.12 | state+please 1.3 | state+pointed 1.48
state+product -0.83 | state+reported -0.68 | state+should -0.32 | state+speech -0.34 | state+style -0.38 | state+the-thing -0.97 | state+third -0.6
state+to_me -0.24 | state+too 0.39 | state+want 0.94 | state+you 0.61 | state+your 0.26 | state+your-work 0.46 | stop 0.69 | stop-so-much 0.95
stop:act -0.4 | stop:style -0.15 | stop:talk 0.85 | stop>bare -0.22 | stop>it -0.68 | stop>many 0.22 | stop>prep 0.11 | stop>the 0.5 | stop>this 0.13
stop>when -0.19 | style 0.56 | such 0.78 | that-was-too 3.76 | the-thing -0.16 | the-usual -0.25 | things-need 0.91 | third -0.75 | this-not-that -0.33
to_me 0.71 | too -0.11 | too-much 0.17 | unasked 1.02 | unmeant -4.09 | w:a 0.14 | w:about 0.22 | w:add -0.61 | w:adding 0.42 | w:address 1.26
w:adjectives 0.43 | w:advice -0.15 | w:again 1.22 | w:agenda -0.15 | w:aisle 1.02 | w:alerts -0.42 | w:all -1.14 | w:allowed -0.32 | w:alone 0.8
w:alternatives 0.23 | w:always -0.46 | w:am 0.55 | w:amounts -0.15 | w:an -0.84 | w:and -0.57 | w:anna -0.47 | w:answer -0.55 | w:answered 0.14
w:answering 0.48 | w:any 0.31 | w:anyone -0.33 | w:anything 0.15 | w:apologise 0.19 | w:app -0.87 | w:appreciate 0.79 | w:approval 0.34 | w:archive 0.62
w:are 0.61 | w:as 0.99 | w:ask -0.46 | w:asked 0.39 | w:asking -0.19 | w:asks -0.76 | w:assume 0.33 | w:attach -0.2 | w:auf -0.62 | w:auto 0.49
w:back 0.82 | w:backup 0.59 | w:bad 0.59 | w:bank 0.3 | w:be 0.42 | w:because 0.15 | w:before 1.1 | w:behind 0.65 | w:ben -0.21 | w:best -0.33
w:between 0.46 | w:big -0.16 | w:bigger -0.11 | w:bit 0.51 | w:bitte -0.63 | w:blue -0.36 | w:board -0.19 | w:book 0.15 | w:bot 0.48 | w:both -0.11
w:branch 0.85 | w:branches 0.28 | w:break -0.19 | w:bring 0.48 | w:budget -0.55 | w:bug 0.41 | w:bugs 0.16 | w:build -1.01 | w:bullet -0.3 | w:but -0.94
w:button -0.53 | w:by 0.33 | w:cache 0.13 | w:calendar 0.61 | w:call 0.42 | w:called -0.39 | w:calling 0.24 | w:calls -0.57 | w:can 0.36 | w:cancel -0.28
w:card -0.36 | w:careful -1.12 | w:carry -0.2 | w:case 0.6 | w:catch 0.14 | w:cc 1.1 | w:change 0.22 | w:changed 0.16 | w:changelog 0.22 | w:changes 0.98
w:channel 0.78 | w:chapter -0.74 | w:characters 0.26 | w:chart -1.8 | w:charts -0.1 | w:chat 0.77 | w:chatty 0.35 | w:check -0.19 | w:checking 0.18
w:checklist -1.53 | w:chose 0.53 | w:ci 0.38 | w:cite 0.66 | w:claim 0.22 | w:clear 0.14 | w:click -1.03 | w:client 0.49 | w:clients 0.45 | w:closed -0.2
w:code 1.4 | w:coffee -0.74 | w:colleague -0.38 | w:column -0.32 | w:comes 0.5 | w:coming 0.13 | w:comma -0.17 | w:comment -0.41 | w:comments -0.33
w:commit 0.7 | w:commits 0.74 | w:complain 0.35 | w:concise 0.29 | w:config -0.32 | w:const -1.42 | w:context 0.11 | w:continue -0.35 | w:contract -0.19
w:copy 0.48 | w:cost 0.73 | w:cover -0.2 | w:create -0.13 | w:critical 0.15 | w:currency -0.23 | w:customer 0.38 | w:customer's 0.48 | w:customers 0.53
w:cut -0.29 | w:dad -0.32 | w:daily 0.38 | w:dana -0.35 | w:dark -0.14 | w:dashboard 0.22 | w:data 0.13 | w:database 0.33 | w:dates 0.44 | w:day 0.65
w:days -0.13 | w:deadline 0.2 | w:decimals 0.14 | w:default 0.58 | w:delete -0.16 | w:deploy -0.65 | w:deployment -0.29 | w:detail -0.7
w:detailed -0.39 | w:diagrams 0.11 | w:did -0.12 | w:digest 0.38 | w:disclaimers 1.34 | w:docs -1.14 | w:documents 0.16 | w:does -0.18 | w:doing -0.77
w:done -0.75 | w:double 0.19 | w:drafts 0.98 | w:drop -0.43 | w:dry 0.47 | w:during 0.29 | w:each 0.75 | w:easy 0.93 | w:eat -0.1 | w:editing -0.11
w:email -0.32 | w:emails -0.92 | w:emoji 0.15 | w:emojis -0.13 | w:empty -0.56 | w:end -0.2 | w:endpoint 0.15 | w:english 0.16 | w:enough 1.17
w:entry 0.2 | w:error -0.26 | w:errors -0.59 | w:essays 0.17 | w:estimate -0.53 | w:estimates 0.17 | w:euros -1.36 | w:ever 1.29 | w:every -0.26
w:everyone -0.37 | w:everything 0.79 | w:example -0.82 | w:examples 0.57 | w:expect 0.42 | w:expected -0.14 | w:expensive 0.32 | w:explain 0.41
w:explanation 0.32 | w:explanations -0.45 | w:failing -0.23 | w:fails 0.6 | w:far -0.22 | w:fast -0.49 | w:faster 0.5 | w:feature 0.87 | w:fewer -0.94
w:figure 0.71 | w:figures 0.44 | w:files 0.86 | w:finance -0.69 | w:find 0.46 | w:fine 0.1 | w:finish 0.15 | w:finished 0.26 | w:first 0.31
w:five -0.14 | w:fix 0.89 | w:flag -0.16 | w:flight -0.2 | w:folder -0.48 | w:font -0.16 | w:footer -0.14 | w:for 0.19 | w:force 1.04 | w:forever -0.21
w:forget 0.52 | w:forgetting -0.11 | w:forgot -0.2 | w:form 0.18 | w:formal -1.23 | w:format 0.78 | w:forward 1.05 | w:four -0.22 | w:free -0.4
w:french -0.48 | w:frequent 0.58 | w:frequently 0.25 | w:fridays 0.35 | w:friendly -0.27 | w:from 0.34 | w:full 0.47 | w:function -0.18 | w:future 0.29
w:german 0.71 | w:get -0.26 | w:gets 0.27 | w:getting 0.57 | w:git -0.36 | w:give -0.33 | w:giving -0.2 | w:goes 0.65 | w:good -0.19 | w:great -1.18
w:green -0.28 | w:greet 0.1 | w:guessing -0.33 | w:hand 0.34 | w:happen 1.02 | w:hate -0.92 | w:have -0.7 | w:he -0.34 | w:headings 0.28 | w:help -0.31
w:helpful 0.44 | w:helps 0.31 | w:her -0.34 | w:here -0.11 | w:him -0.44 | w:his -0.38 | w:history 0.26 | w:hold -0.23 | w:home 0.24 | w:honest 0.62
w:hour 0.58 | w:hours 0.93 | w:how 0.12 | w:hurt 0.1 | w:i 0.46 | w:id 0.25 | w:idea -0.21 | w:ideas 0.21 | w:if -0.18 | w:images 0.78 | w:in 0.27
w:include 0.17 | w:index -0.2 | w:intern -0.15 | w:intro -1.55 | w:invoice -1.61 | w:invoices 0.56 | w:is 0.33 | w:iso 0.28 | w:it -0.8 | w:its 0.25
w:job -0.57 | w:just 0.5 | w:keep 0.11 | w:keeps -0.71 | w:kim -0.13 | w:know -0.25 | w:landlord -0.13 | w:language -0.28 | w:last 0.32 | w:late -0.32
w:later 0.62 | w:lawyer -0.17 | w:least 0.25 | w:leave 0.71 | w:legal 0.47 | w:lena 0.17 | w:length 0.24 | w:less 0.29 | w:letter -0.73 | w:letters 0.83
w:library 0.35 | w:like 0.15 | w:line 0.5 | w:lines 0.89 | w:links 0.88 | w:lint 0.16 | w:list -0.55 | w:lists 0.12 | w:little 1.76 | w:load -0.36
w:log 0.4 | w:logging 0.59 | w:login -0.14 | w:logo -0.26 | w:logs 0.62 | w:long -0.69 | w:longer -0.22 | w:look -0.41 | w:looks -0.64 | w:lose 0.57
w:lost 0.38 | w:lot 0.7 | w:love 0.6 | w:lunch -0.12 | w:made -0.59 | w:mail -0.21 | w:mails -0.49 | w:main 0.35 | w:make -0.52 | w:makes -0.23
w:many -0.26 | w:maria -0.1 | w:markdown 0.34 | w:marketing 0.65 | w:max 0.24 | w:maybe 0.11 | w:me 0.64 | w:mean -0.89 | w:meeting -0.56
w:meetings 0.28 | w:memory -0.61 | w:mention 1.04 | w:merge -0.59 | w:merging 0.1 | w:message -0.14 | w:messages 0.53 | w:metric 0.6 | w:mia -0.2
w:migration -0.14 | w:milk -0.34 | w:mind 0.58 | w:mine -0.13 | w:ministry -0.18 | w:minutes 0.38 | w:mobile -0.18 | w:monday -0.23 | w:mondays -0.29
w:money 0.27 | w:month 0.66 | w:more -0.19 | w:morning 0.36 | w:most -0.15 | w:mother 0.11 | w:move -1.77 | w:must -0.2 | w:my 0.13 | w:myself -0.63
w:name -0.24 | w:names 1.47 | w:need -1.08 | w:needs 0.85 | w:nested 0.89 | w:never -0.27 | w:news 0.55 | w:next 0.43 | w:nice -0.14 | w:night -0.2
w:no -0.54 | w:nobody -0.25 | w:not 0.35 | w:note -0.25 | w:notes 0.45 | w:nothing -0.36 | w:noticed 0.88 | w:notifications -1.07 | w:now 0.17
w:npm 0.15 | w:number -0.73 | w:numbers 0.39 | w:of 0.29 | w:off 0.35 | w:offer -0.39 | w:often 0.73 | w:okay 0.43 | w:old -0.97 | w:on 0.22
w:once 0.19 | w:one -0.17 | w:ones -0.54 | w:only 1.42 | w:open 0.45 | w:opening -0.33 | w:option 0.12 | w:options -0.58 | w:or -0.23 | w:order -0.77
w:other -0.43 | w:out 0.6 | w:over 0.59 | w:overview 0.32 | w:own 0.84 | w:package -0.34 | w:page -0.54 | w:pages 0.14 | w:paragraph 0.17
w:parents 0.37 | w:parser -1.14 | w:pass 0.18 | w:password -0.19 | w:paths 0.26 | w:patient -0.65 | w:payment 0.13 | w:people 0.39 | w:per 0.64
w:perfect 0.3 | w:person 0.63 | w:phone 0.35 | w:photos 0.34 | w:ping -0.57 | w:plain 0.57 | w:plan 0.41 | w:please 0.98 | w:pm 0.36 | w:pnpm 1.51
w:point 0.79 | w:points -0.38 | w:policy -0.23 | w:polite 0.82 | w:post 0.14 | w:postgres -0.89 | w:posts -0.93 | w:pr 0.15 | w:prefer 0.69
w:prefers -0.22 | w:price -0.17 | w:pricing -0.52 | w:proactive 0.28 | w:product 0.43 | w:production 0.4 | w:project 1.53 | w:prompt -0.21 | w:prs 0.34
w:pull 0.12 | w:push -0.45 | w:pushed 0.5 | w:pushing 1.01 | w:put 0.61 | w:queries 0.38 | w:question 0.76 | w:questions 1 | w:quick -0.86 | w:quit 0.31
w:quote 0.85 | w:rather 0.4 | w:read 0.19 | w:reads 0.13 | w:reason 1.06 | w:receipts 0.28 | w:recipe -0.2 | w:recipes 0.56 | w:red 0.8 | w:refactor 0.33
w:refactoring 0.39 | w:remember 0.17 | w:remind -0.48 | w:reminder -0.52 | w:reminders 0.53 | w:remove -0.65 | w:rename -0.51 | w:repeat -0.16
w:replies 0.29 | w:reply -0.84 | w:repo 0.38 | w:report 0.38 | w:reports 0.78 | w:request 0.43 | w:requests 0.22 | w:rest 0.42 | w:restart -1.3
w:retry 0.39 | w:return -0.3 | w:review 0.56 | w:rewrite -0.79 | w:right -0.24 | w:risks 0.16 | w:row -0.34 | w:rule -0.1 | w:running -0.18 | w:said 0.71
w:sales 0.8 | w:salt -0.27 | w:same 0.61 | w:saved -1 | w:say -0.75 | w:saying -0.78 | w:says -1.19 | w:schedule -0.45 | w:school -0.19 | w:screen -0.73
w:search -0.59 | w:seat 0.69 | w:second -0.45 | w:seconds -1 | w:see 0.11 | w:semicolons -0.58 | w:send -0.74 | w:sending -0.25 | w:sends -0.16
w:sent -0.46 | w:sentence -0.3 | w:server -0.15 | w:set -0.42 | w:share -0.67 | w:she -0.11 | w:shop -0.79 | w:short -0.72 | w:shorten -0.74
w:shorter -1.04 | w:should -0.5 | w:show -0.51 | w:simpler -0.23 | w:since 0.45 | w:site 0.19 | w:size -0.43 | w:sleep -0.36 | w:slide -1.09
w:slides 0.23 | w:slow -0.41 | w:small 0.17 | w:smaller -0.22 | w:so 1.33 | w:some -0.17 | w:something 0.31 | w:sorry -0.75 | w:sort -0.79 | w:sound 1.04
w:source 0.26 | w:sources 0.2 | w:spaces 0.44 | w:spanish 0.13 | w:speak 0.6 | w:specific -0.81 | w:speculative 0.7 | w:spelling -0.15 | w:start -0.88
w:started -0.24 | w:starts -0.68 | w:status 0.87 | w:stay 0.68 | w:step 0.9 | w:steps 0.28 | w:stick 0.4 | w:still -0.11 | w:stock 1.12 | w:stop -1.34
w:stopped -0.27 | w:stops -0.66 | w:strict -0.15 | w:structure 0.22 | w:students 0.2 | w:style -0.73 | w:subject 0.26 | w:sugar -0.51 | w:suggest 0.64
w:summaries 1.15 | w:summary 0.29 | w:super 0.31 | w:supplier -0.75 | w:suppliers 0.64 | w:support 0.39 | w:suppose -0.36 | w:sure 0.48 | w:table -1.35
w:tables -0.28 | w:tabs -1.24 | w:tag 0.33 | w:take -0.6 | w:talk 0.67 | w:tasks 0.84 | w:tax -0.6 | w:team -0.21 | w:technical -0.16 | w:tell -1
w:terms 0.47 | w:test 0.84 | w:tests 0.12 | w:text 0.64 | w:texts 0.25 | w:than 0.12 | w:thank -0.98 | w:thanks -0.32 | w:that -0.82 | w:the -0.67
w:their -0.21 | w:them -0.3 | w:then 0.2 | w:there -0.15 | w:these 0.65 | w:they 1.12 | w:thing 0.75 | w:things 0.52 | w:think -0.12 | w:third -0.22
w:thirty -0.51 | w:this -1.18 | w:those 0.63 | w:thread 0.51 | w:three -0.77 | w:through 0.51 | w:ticket 0.87 | w:tickets -0.24 | w:time 0.66
w:timestamps -0.64 | w:tired 0.21 | w:title -1.13 | w:to -0.19 | w:today -0.49 | w:told -0.2 | w:tom -0.74 | w:tone 0.15 | w:too -0.21 | w:tool -0.77
w:top 0.56 | w:touch 0.26 | w:touching 0.84 | w:trailing -0.73 | w:train 0.11 | w:translate 0.63 | w:true -0.34 | w:try 0.39 | w:ts -0.5 | w:turn -0.63
w:twice 0.5 | w:two 0.28 | w:type 0.7 | w:types 0.73 | w:typescript 0.28 | w:under 0.36 | w:units -0.15 | w:unless 0.77 | w:until -1.06 | w:up 0.98
w:update 0.33 | w:us -0.17 | w:use 0.26 | w:used -0.23 | w:useful 0.34 | w:user -0.22 | w:users -0.78 | w:uses -1.1 | w:using 0.7 | w:utc -0.64
w:vague -0.11 | w:vendor 0.14 | w:versions 0.47 | w:very -0.92 | w:voice 0.54 | w:wait 0.21 | w:want 0.39 | w:wants -0.54 | w:warn 0.2 | w:warning 0.23
w:was 1.08 | w:we 0.17 | w:wear -0.34 | w:website 0.31 | w:week -0.59 | w:weekends 0.14 | w:weekly 0.52 | w:well 0.32 | w:were 0.28 | w:when 0.66
w:whenever 0.23 | w:where -0.31 | w:whether -0.33 | w:which -0.48 | w:who 0.87 | w:whole 0.21 | w:why 1.06 | w:will -0.51 | w:window 0.34 | w:wish 0.15
w:with 1.66 | w:within 0.18 | w:without 0.34 | w:wonderful -0.76 | w:word 0.37 | w:words -0.24 | w:wordy 0.41 | w:work -0.31 | w:working -0.13
w:works 0.18 | w:wow -0.43 | w:write 0.46 | w:writes 0.41 | w:writing 0.33 | w:wrong -1.51 | w:yet -0.14 | w:you 0.56 | w:your 0.86 | w:yourself 1.02
want -0.34 | wants-a-thing 0.66 | wants-you-to 0.88 | way:alone -0.1 | way:always 0.35 | way:bound 1 | way:brief -0.41 | way:condition 0.5
way:dislike -0.55 | way:dont -0.19 | way:ensure 0.15 | way:forgets -0.33 | way:instead 0.36 | way:keep -0.4 | way:keeps -1.01 | way:lasting -0.51
way:less 0.92 | way:like_that 0.82 | way:little -0.12 | way:more 0.67 | way:more_often 0.22 | way:never 0.96 | way:no 0.34 | way:no_need 0.25
way:praise -0.43 | way:should 1.02 | way:stop 0.52 | way:style 0.32 | way:too -0.68 | way:too_many 0.17 | when-done -2.53 | words:1-3 -1.21
words:13-20 1.49 | words:21+ 0.75 | words:4-6 -1.18 | words:7-12 -0.68 | work 0.45 | you 0.63 | you-are-too 2.03 | you-did -0.63 | you-forget 0.62
your 0.13 | your-thing-should 2.16 | your-work 0.6
`;

/** The same by type: keep, less, more, start, stop. */
export const TYPE_WEIGHTS = `
bias -1.05 -0.34 -1.28 0.6 -0.08 | again -0.19 0.12 -0.11 -0.29 0.47 | alone -0.05 -0.07 -0.04 -0.35 2.51 | always 0.26 -0.26 -0.08 0.72 0.06
ask+again -0.11 0.02 -0.04 0.03 0.1 | ask+always 0.04 -0.15 -0.04 -0.05 0.19 | ask+brief 0.02 0.17 0.17 -0.17 -0.19
ask+calendar 0.21 -0.03 0.01 -0.01 -0.18 | ask+capital -0.01 -0.26 -0.04 0.22 0.09 | ask+each -0.16 0.21 -0.12 0.29 -0.22
ask+excess 0.03 0.05 0.09 -0.06 -0.11 | ask+first 0.1 -0.11 -0.04 -0.09 0.14 | ask+from_you -0.07 0.02 0.12 -0.1 0.03
ask+instead -0.01 -0.05 -0.04 0.13 -0.02 | ask+keep 0.2 -0.05 -0.1 -0.04 -0.01 | ask+lasting -0.24 0.23 -0.02 -0.12 0.16
ask+less -0.05 0.76 -0.14 -0.45 -0.13 | ask+me 0.01 -0.09 -0.08 0.19 -0.02 | ask+more -0.05 -0.06 0.67 -0.44 -0.12
ask+narrated -0.03 -0.22 0.07 0.15 0.03 | ask+never 0.1 -0.11 -0.01 -0.01 0.03 | ask+no_need -0.03 0.32 -0.03 -0.17 -0.09
ask+once 0.02 -0.11 -0.04 0.04 0.09 | ask+please 0.21 0.03 -0.13 -0.17 0.08 | ask+pointed 0.06 0.15 -0.01 -0.04 -0.17
ask+praise 0.35 0.06 -0.05 -0.28 -0.08 | ask+should -0.03 0.67 0.04 -0.34 -0.34 | ask+speech 0.29 0.21 0.06 -0.37 -0.09
ask+style 0.12 0.12 -0.04 -0.13 -0.07 | ask+such 0.2 0.07 -0.05 -0.11 -0.12 | ask+the-thing -0.17 0.13 0.01 0.08 -0.05
ask+third -0.12 -0.08 -0.16 0.28 0.08 | ask+to_me 0.01 -0.03 -0.07 0.18 -0.1 | ask+too_many -0.01 0.12 -0.01 0.06 -0.15
ask+unasked -0.05 -0.05 -0.06 0.02 0.14 | ask+want 0.02 -0.23 0.01 0.3 -0.1 | ask+work -0.16 -0.36 0.11 0.31 0.11 | ask+you 0.1 -0.03 0.02 -0.16 0.12
ask+your 0.11 -0.16 0.14 -0.09 -0.01 | ask+your-work -0.21 -0.23 0.15 0.16 0.13 | asked -0.09 -0.1 -0.06 0.18 0.08
asked:plain -0.08 -0.09 -0.03 0.08 0.12 | asks-before-doing -0.12 -0.09 0.03 0.6 0.08 | asks-each-time 0.01 0.03 -0.06 0.52 0.04
asks-for-words -0.02 -0.02 -0.05 0.13 -0.04 | asks-in-each -0.02 -0.19 -0.02 0.59 0.14 | asks-lasting 0.07 0.09 -0.04 -0.24 0.12
be-more -0.04 -0.24 0.59 -0.32 0.01 | before:praise 0.15 0.11 -0.01 -0.27 0.01 | before:you -0.02 0.15 -0.02 -0.19 0.08
beside:amount-clause 0.01 0 -0.05 0.14 -0.11 | beside:do-clause -0.27 -0.09 0.04 0.42 -0.1 | beside:doing-clause 0.03 -0.13 -0.02 -0.12 0.24
beside:dont-clause 0 0.01 -0.09 0.24 -0.16 | beside:each-clause -0.01 -0.05 -0.01 0.16 -0.09 | beside:i-clause -0.02 -0.02 0.05 0.23 -0.24
beside:if-clause -0.02 -0.03 -0.03 -0.12 0.2 | beside:it-clause 0.16 0.17 -0.01 -0.37 0.04 | beside:me 0.15 0.02 -0.1 -0.24 0.17
beside:my-clause -0.07 0.12 -0.03 0.04 -0.05 | beside:ordinal 0.12 -0.03 -0.02 -0.03 -0.04 | beside:other-clause 0.03 -0.15 -0.11 -0.01 0.23
beside:plural-clause 0.02 -0.2 0.34 -0.16 -0.01 | beside:product 0.11 -0.02 0 -0.02 -0.08 | beside:the-clause 0.18 -0.09 0.18 -0.15 -0.12
beside:they-clause -0.01 -0.14 0.03 0.17 -0.06 | beside:third -0.07 -0.14 -0.02 0.18 0.04 | beside:we-clause -0.02 0.12 0.03 0.24 -0.36
beside:when-clause -0.13 0.07 0.03 0.38 -0.35 | beside:work -0.17 -0.2 0.22 0.1 0.05 | beside:you-clause 0.01 0.24 -0.05 -0.28 0.08
beside:your-clause 0.31 0.08 -0.03 -0.22 -0.14 | bound -0.14 1.43 0.07 -0.19 -0.18 | brief 0 0.91 0.54 -0.2 -0.25 | but_not -0.06 0.01 -0.05 0.73 -0.62
calendar 0.18 0 -0.01 0.5 0.03 | capital -0.06 -0.16 -0.1 0.21 0.11 | complaint+always 0.27 -0.02 -0.01 -0.04 -0.2 | complaint+brief 0 -0.18 0.19 -0.01 0
complaint+dislike -0.03 0.16 -0.01 -0.07 -0.05 | complaint+each -0.01 -0.19 -0.01 -0.02 0.22 | complaint+excess -0.17 0.6 -0.1 -0.13 -0.21
complaint+from_you -0.12 0.03 0 -0.12 0.2 | complaint+keep -0.06 -0.03 0 0.19 -0.09 | complaint+me -0.04 0.1 -0.01 -0.09 0.04
complaint+speech 0.02 0.08 0.07 0.08 -0.24 | complaint+third 0.19 0.03 -0.06 -0.06 -0.11 | complaint+too -0.04 -0.06 0.14 -0.01 -0.04
complaint+too_many -0.02 0.17 -0.02 -0.09 -0.03 | complaint+work -0.17 0.22 -0.02 -0.11 0.08 | complaint+your -0.05 0.2 0.03 -0.11 -0.06
complaint+your-work -0.05 0.16 0.04 -0.09 -0.05 | condition -0.08 -0.12 -0.05 0.98 -0.05 | dislike -0.11 0.2 -0.04 -0.11 1.06
do:act -0.12 0.38 -0.2 -0.17 0.11 | do:style 0.03 -0.47 0.05 0.52 -0.13 | do:talk -0.12 -0.2 0.29 0.28 -0.25 | do>a -0.07 -0.02 -0.03 0.22 -0.11
do>bare -0.13 0.05 0.02 0.01 0.06 | do>it 0.1 -0.02 -0.03 0.1 -0.15 | do>my 0.02 -0.02 -0.01 -0.09 0.11 | do>prep 0.14 -0.01 -0.07 0.09 -0.15
do>the -0.07 -0.16 -0.09 0.23 0.09 | do>when -0.06 -0.08 0.5 -0.23 -0.13 | does-many -0.14 -0.14 -0.07 0.44 -0.09 | does-one -0.03 -0.26 -0.01 -0.04 0.35
does-pronoun 0.09 -0.04 -0.03 0.14 -0.16 | dont 0.02 0.11 -0.04 -0.44 0.87 | dont-many -0.03 -0.02 -0.05 0.15 0.95 | dont:act 0.17 0.05 -0.04 0.41 -0.59
dont:style -0.01 -0.07 -0.02 -0.25 0.36 | dont:talk -0.03 0.06 -0.05 -0.23 0.26 | dont>a -0.01 0.15 0 -0.06 -0.08 | dont>bare -0.09 0.02 0 0.26 -0.19
dont>doing 0.04 -0.13 0 0.16 -0.07 | dont>end 0.12 -0.02 -0.01 -0.09 0 | dont>many -0.02 -0.02 -0.05 0.21 -0.12 | dont>my -0.05 0.07 -0.01 -0.18 0.17
dont>prep -0.01 -0.06 -0.01 -0.12 0.19 | dont>the 0.08 -0.04 -0.01 -0.21 0.18 | dont>when 0 0.14 0 -0.04 -0.09 | each -0.3 0.01 -0.1 0.9 -0.02
ensure -0.1 0.09 0.22 0.68 -0.19 | ever-do 0.28 -0.08 -0.03 -0.14 -0.02 | excess -0.09 1.56 0.04 -0.36 -0.44 | first 0.23 -0.22 -0.09 0.88 -0.1
forgets -0.02 -0.02 0 0.95 -0.2 | frame:dislike -0.01 -0.02 -0.03 -0.09 0.14 | frame:dont 0.13 0.03 -0.11 -0.06 0.03
frame:ensure -0.03 0.17 0.22 -0.31 -0.05 | frame:keeps 0.12 -0.05 -0.01 0.1 -0.15 | frame:needless -0.01 0.36 -0.02 -0.17 -0.17
frame:no 0 -0.11 -0.04 -0.06 0.22 | frame:stop -0.1 0.17 -0.03 -0.22 0.18 | frame:told -0.09 -0.05 -0.02 0.11 0.04
frame:wish -0.15 -0.17 0.04 0.25 0.03 | from_you 0.04 -0.1 0.25 -0.06 -0.14 | gives-me-more -0.01 -0.04 0.15 -0.1 -0.01 | how -0.01 0.12 -0.03 0.63 -0.01
instead -0.03 -0.1 -0.03 0.7 0.15 | is-enough -0.11 1.24 -0.06 -0.04 -0.03 | keep 1.64 -0.09 -0.11 0.07 -0.02 | keep:act 0.21 -0.01 0 -0.18 -0.02
keep:style 0.13 -0.12 -0.1 0.21 -0.11 | keep>a -0.02 -0.03 -0.01 0.11 -0.06 | keep>doing 0.49 -0.07 -0.02 -0.34 -0.06
keep>it 0.1 0.03 -0.01 -0.11 -0.01 | keep>prep 0.18 -0.24 -0.01 0.11 -0.04 | keep>this -0.07 -0.03 0 0.12 -0.02 | keep>your -0.19 0.27 -0.04 -0.01 -0.03
keeps 0.19 0.01 -0.01 0.02 0.8 | keeps-it-short -0.24 4 0.32 -0.13 0.04 | keeps-praised 3.16 0 0 -0.16 0 | keeps:act 0.16 -0.04 -0.01 0.16 -0.27
lacking 0.08 -0.17 0.88 -0.09 -0.2 | lasting -0.28 0.03 -0.04 0.82 0.18 | less -0.06 2.83 -0.15 -0.49 -0.14 | less-talk -0.03 1.66 -0.12 0.02 -0.04
like_that 2.17 0.01 -0.01 -0.16 -0.01 | likes-what-you-do 2.16 0.01 -0.01 -0.16 -0.01 | little -0.02 -0.12 1.88 -0.12 -0.11
main:amount -0.05 0.38 0.12 -0.4 -0.05 | main:aux -0.04 0 0.01 0.17 -0.13 | main:dislike -0.01 -0.02 -0.03 -0.09 1.64
main:do -0.2 -0.29 0.17 1.29 -0.27 | main:doing 0.22 -0.11 -0.06 -0.13 0.08 | main:dont 0.13 0.03 -0.11 -0.06 2.53
main:each -0.06 -0.16 -0.05 0.05 0.22 | main:i 0.26 0.11 -0.11 -0.17 -0.1 | main:it -0.03 0.05 -0.09 -0.2 0.26 | main:keep 1.03 -0.15 -0.11 0.07 -0.14
main:keeps 0.12 -0.05 -0.01 0.1 1.35 | main:needless -0.01 0.36 -0.02 -0.17 1.33 | main:no 0 -0.11 -0.04 -0.06 2.22
main:other -0.01 -0.19 -0.19 0.33 0.06 | main:plural -0.14 -0.21 0.28 0.2 -0.12 | main:stop -0.1 0.17 -0.03 -0.22 2.18
main:the -0.14 0.06 0.03 0.07 -0.01 | main:there -0.02 0.12 -0.01 -0.06 -0.03 | main:we -0.07 -0.1 -0.07 -0.07 0.31
main:wh -0.01 -0.07 -0.03 0.14 -0.03 | main:when -0.19 -0.31 -0.04 0.64 -0.09 | main:you -0.15 0.11 0.11 -0.12 0.06
main:your -0.04 0.29 0.05 -0.18 -0.12 | me -0.08 -0.1 0 -0.04 0.25 | mood:ask -0.13 0.05 -0.11 0.46 -0.3 | mood:complaint 0.01 0.25 0 -0.15 -0.11
mood:of-you -0.17 0.14 0.12 -0.12 0.04 | mood:praise 0.22 -0.14 -0.01 0.03 -0.09 | mood:question -0.09 -0.12 -0.03 0.15 0.09
mood:state -0.12 -0.27 -0.16 0.06 0.52 | more -0.09 -0.07 0.81 -0.48 -0.18 | more-of-it -0.09 -0.07 2.31 -0.48 -0.18 | more-than 0 0.02 -0.24 0.23 -0.01
more-than-needed 0 3.07 -0.04 -0.03 0 | more_brief -0.01 1.79 0.33 -0.1 -0.02 | more_often 0 -0.05 2.13 -0.07 -0.01 | must-be -0.03 -0.15 -0.05 0.75 0.18
names-a-way 0.03 0.34 -0.08 0.39 0.02 | narrated -0.06 -0.39 0.17 0.24 0.04 | needless:act 0 0.12 -0.01 -0.05 -0.06 | needless:style 0 0.19 0 0 -0.18
needless:talk -0.01 0.05 -0.01 -0.11 0.07 | needless>bare -0.01 0.4 -0.02 -0.15 -0.23 | never 0.09 -0.13 -0.02 -0.13 2.19
next:again -0.07 -0.11 -0.05 -0.23 0.46 | next:always 0.02 -0.08 -0.03 0.33 -0.25 | next:dislike -0.01 -0.01 -0.02 -0.06 0.11
next:keep 0.65 -0.05 -0.13 -0.26 -0.2 | next:lasting -0.05 -0.09 -0.05 0 0.18 | next:never -0.01 -0.01 -0.01 -0.09 0.12
next:praise 0.26 0.09 -0.03 -0.35 0.03 | next:stop -0.08 -0.13 -0.03 -0.26 0.5 | no -0.07 -0.18 -0.05 -0.01 0.81 | no-more 0 0 0 0 1.5
no-stop 1.32 -0.01 -0.01 -0.15 -0.15 | no-stop-doing 5.17 0 0 0 -0.16 | no:act 0.01 -0.08 -0.03 -0.04 0.13 | no>bare 0.02 -0.09 -0.04 0.01 0.1
no_need -0.05 0.28 -0.04 -0.29 1.09 | not -0.27 0.02 0.22 -0.43 0.58 | not-so-much -0.11 1.1 0.12 0.11 0.28 | not_done -0.03 0.19 0.11 0.5 -0.27
nothing-without -0.04 -0.06 -0.02 0.21 1.11 | of-myself 0.2 0 -0.18 -0.23 0.22 | of-somebody 0.23 -0.02 -0.01 0.14 -0.34
of-the-thing 0.01 -0.03 -0.06 -0.04 0.12 | of-you+again -0.05 0.12 -0.06 -0.12 0.09 | of-you+from_you -0.01 -0.12 0.19 -0.02 -0.04
of-you+me -0.06 -0.13 0.08 -0.09 0.22 | of-you+reported -0.02 0.03 -0.09 0.13 -0.05 | of-you+speech -0.05 0.19 0.1 -0.08 -0.16
of-you+to_me -0.03 -0.06 0.13 0.08 -0.12 | of-you+work -0.09 0.11 -0.07 -0.13 0.17 | of-you+you -0.13 -0.07 0.12 -0.04 0.12
of-you+your -0.05 0.1 0.21 -0.09 -0.18 | of-you+your-work -0.05 0.1 0.21 -0.09 -0.18 | once 0.02 -0.11 -0.04 0.04 0.09
ordinal 0.17 -0.01 -0.01 -0.12 -0.03 | please 0.01 -0.16 -0.13 0.28 -0.01 | praise 1.56 -0.12 0.02 -0.19 -0.24
praise+praise 0.22 -0.14 -0.01 0.03 -0.09 | praise+the-thing 0.11 -0.02 0.01 -0.08 -0.01 | praise+work 0.05 -0.1 -0.04 0.15 -0.07
praise+your -0.02 -0.04 -0.03 0.11 -0.03 | praise+your-work -0.02 -0.04 -0.03 0.11 -0.03 | praise-alone 0.16 -0.05 0.07 -0.14 -0.04
praised-to-keep 2.27 -0.06 -0.02 -0.09 -0.11 | praises-and-keeps 2.08 0.07 -0.03 -0.11 -0.02 | question+again -0.02 -0.04 -0.01 -0.07 0.14
question+each 0.01 -0.03 0.01 -0.15 0.16 | question+first -0.02 -0.01 -0.01 0.16 -0.12 | question+lasting -0.02 -0.06 -0.01 -0.03 0.12
question+pointed -0.01 -0.03 0 -0.12 0.17 | question+speech -0.04 -0.07 -0.03 -0.03 0.16 | question+the-thing -0.01 -0.02 -0.01 0.12 -0.08
question+you -0.09 -0.07 -0.02 0.23 -0.05 | reduce -0.04 2.71 -0.08 -0.02 -0.08 | reported -0.06 0.04 -0.13 0.26 -0.12
says-no-to-doing -0.14 0.21 -0.03 -0.08 1.04 | says-no-to-many 0.15 0.15 -0.02 -0.21 0.93 | says-no-to-talk -0.04 0.29 -0.08 -0.15 0.98
should -0.11 0.43 -0.16 0.52 0.02 | somebody-ever 0.31 0.05 -0.01 -0.1 -0.24 | speech 0.28 0.49 0.1 -0.42 -0.24 | state+again -0.01 0.02 0 -0.16 0.15
state+always -0.08 -0.09 -0.03 0.12 0.07 | state+calendar -0.03 0.02 -0.02 -0.18 0.21 | state+capital -0.07 0.14 -0.04 0.08 -0.1
state+condition -0.04 0 -0.01 0.13 -0.08 | state+each -0.11 0.1 -0.09 0.27 -0.17 | state+excess -0.02 0.23 0.05 -0.14 -0.12
state+first 0.13 -0.07 -0.02 0.09 -0.12 | state+from_you 0.28 -0.02 -0.05 0.09 -0.29 | state+instead -0.01 -0.03 -0.01 -0.12 0.18
state+lasting -0.02 -0.13 -0.01 0.27 -0.11 | state+narrated -0.02 0.01 -0.03 0.1 -0.06 | state+never 0 0 0 -0.1 0.11
state+no_need -0.01 0.13 -0.01 -0.1 -0.01 | state+ordinal 0.17 -0.01 -0.01 -0.13 -0.03 | state+please -0.12 -0.14 -0.04 0.32 -0.02
state+pointed -0.06 -0.02 -0.04 0.14 -0.02 | state+reported -0.02 -0.02 -0.02 0.13 -0.08 | state+should -0.07 -0.26 -0.08 0.1 0.31
state+speech -0.02 0.17 -0.13 -0.1 0.09 | state+style -0.09 -0.05 -0.06 0.17 0.03 | state+the-thing -0.03 -0.05 -0.03 -0.04 0.15
state+third -0.03 -0.01 -0.02 -0.05 0.1 | state+too -0.01 -0.09 0.04 0.11 -0.04 | state+unasked 0.11 -0.03 -0.02 -0.15 0.08
state+want -0.03 0.05 -0.03 -0.16 0.16 | state+work 0.25 -0.12 0.17 -0.15 -0.16 | state+you 0.15 0.08 -0.11 -0.27 0.15
state+your 0.06 -0.13 -0.07 0.01 0.13 | stop 0.04 0.05 -0.08 -0.33 1.82 | stop-so-much 0 4.12 0 0.17 -0.28 | stop:act -0.08 0.13 -0.02 -0.16 0.13
stop>bare -0.01 0.12 0 -0.09 -0.02 | stop>it -0.03 -0.06 -0.01 -0.04 0.14 | stop>the -0.03 -0.12 -0.01 -0.03 0.19 | stop>this -0.01 0.16 0 0 -0.15
stop>when 0 0.11 0 0 -0.1 | style 0.15 0.06 -0.11 0.64 -0.04 | such 1.2 0.08 -0.05 -0.11 -0.12 | that-was-too 0 1.03 0 -0.02 0
the-thing -0.12 0.08 -0.09 0.09 0.03 | the-usual -0.07 0.08 -0.16 0.07 0.07 | things-need -0.02 -0.04 -0.01 1.13 -0.07 | third 0.04 -0.2 -0.07 0.17 0.07
this-not-that -0.02 -0.05 -0.04 1.08 0.03 | to_me -0.03 -0.1 0.09 0.5 -0.16 | too -0.06 0.81 0.19 0.2 -0.14 | too-little 0 -0.23 4.25 -0.02 -0.01
too-much -0.05 2.54 -0.07 0.22 -0.14 | too_many -0.04 3.34 -0.03 -0.05 -0.21 | unasked 0.06 -0.1 -0.08 -0.16 1.28 | w:a -0.26 0.51 -0.13 0.15 -0.26
w:about 0.2 -0.01 -0.05 0.24 -0.38 | w:add 0.19 -0.06 -0.02 0.02 -0.13 | w:adjectives -0.01 0.23 -0.1 -0.09 -0.03 | w:advice 0.06 -0.1 -0.02 -0.03 0.09
w:again -0.07 -0.16 -0.07 -0.36 0.65 | w:aisle -0.06 -0.02 -0.01 0.16 -0.07 | w:all -0.02 -0.19 -0.02 0.01 0.21 | w:alone 0 -0.01 0.01 -0.15 0.15
w:already -0.04 0.18 -0.04 0 -0.12 | w:always 0.32 -0.04 -0.05 -0.01 -0.23 | w:am -0.06 -0.16 0.03 0.03 0.17 | w:an 0.03 -0.05 0 0.18 -0.17
w:and 0 -0.05 -0.16 -0.19 0.4 | w:answer -0.05 0.17 -0.07 0.08 -0.12 | w:answering 0 -0.05 0 -0.06 0.11 | w:answers -0.05 -0.04 0.01 -0.14 0.21
w:any -0.01 -0.04 -0.02 -0.05 0.11 | w:anything -0.02 -0.19 0.1 0.03 0.08 | w:approval -0.01 -0.03 -0.02 0.14 -0.08 | w:are 0.22 0.42 -0.02 -0.53 -0.09
w:ask -0.05 0.23 -0.03 -0.21 0.06 | w:asked -0.03 0.07 -0.02 -0.19 0.17 | w:asking 0.05 -0.04 -0.02 -0.09 0.1 | w:at 0.14 -0.13 0.08 -0.26 0.17
w:background 0 0.18 0.04 -0.08 -0.14 | w:bank 0 -0.11 0.16 -0.02 -0.02 | w:be -0.22 0.36 0.34 -0.07 -0.41 | w:because -0.01 0.25 -0.01 -0.1 -0.13
w:before 0.2 -0.25 -0.07 0.38 -0.26 | w:behind -0.02 -0.04 -0.01 0.16 -0.09 | w:between -0.01 -0.04 0 -0.1 0.15 | w:big 0.12 -0.03 0.01 -0.09 -0.01
w:bit -0.03 0.1 0.12 -0.16 -0.03 | w:book -0.18 -0.06 -0.01 0.21 0.04 | w:both -0.01 -0.03 -0.01 0.1 -0.05 | w:branch -0.11 -0.09 -0.06 0.35 -0.09
w:brief 0.02 0.11 0.01 -0.04 -0.1 | w:bug -0.02 -0.06 -0.01 0.18 -0.1 | w:bullet 0.04 0.12 -0.04 -0.06 -0.07 | w:by -0.08 0.02 -0.04 -0.16 0.25
w:cache -0.02 -0.04 -0.01 0.11 -0.04 | w:call 0.22 -0.1 -0.04 0.04 -0.13 | w:can -0.09 -0.21 0.14 0 0.16 | w:careful 0 0.34 0.01 -0.01 -0.34
w:change -0.1 -0.17 -0.02 0.12 0.17 | w:changed -0.03 0 -0.01 0.11 -0.06 | w:changelog -0.01 -0.04 -0.01 0.16 -0.1 | w:changes 0.14 -0.04 0.02 -0.14 0.02
w:chat 0 -0.08 0 -0.03 0.12 | w:check 0.11 0.04 -0.01 0.2 -0.34 | w:ci -0.02 -0.02 -0.01 -0.16 0.21 | w:clear 0.28 -0.1 -0.04 -0.15 0.02
w:click 0 0.17 0 0 -0.16 | w:client 0 -0.02 -0.01 -0.1 0.13 | w:clients -0.01 -0.02 -0.02 -0.13 0.18 | w:closed -0.01 -0.03 -0.01 -0.05 0.1
w:coming 0.1 -0.04 0 -0.06 -0.01 | w:commit 0.01 0.1 -0.07 -0.05 0.01 | w:commits 0.27 -0.08 -0.05 -0.04 -0.1 | w:concise 0 -0.26 0.27 -0.01 0
w:continue 0.21 -0.01 0 -0.19 -0.01 | w:contract -0.01 -0.06 -0.02 -0.04 0.12 | w:could -0.02 -0.05 0 0.14 -0.07 | w:cover -0.01 0.21 -0.01 -0.17 -0.02
w:customers 0.2 -0.07 -0.05 0.03 -0.11 | w:cut 0 0.17 0 0 -0.16 | w:daily 0.13 0.01 0 0 -0.13 | w:day -0.04 0.1 -0.02 0.15 -0.19
w:decimals -0.01 0.15 0 -0.07 -0.06 | w:deleted -0.03 -0.05 -0.04 -0.11 0.22 | w:dependencies -0.03 0.12 0 -0.1 0.01
w:deploy -0.01 -0.01 -0.01 -0.11 0.15 | w:detail 0 0.1 0.01 -0.01 -0.1 | w:diff 0.16 -0.02 0 -0.16 0.03 | w:disclaimers -0.03 -0.11 -0.01 -0.09 0.24
w:do 0.01 0.11 0.06 -0.18 -0.03 | w:docs -0.02 -0.01 -0.01 0.17 -0.13 | w:documents 0 -0.1 -0.01 0.05 0.06 | w:done -0.01 -0.04 -0.01 0.2 -0.13
w:double 0.05 0.04 0 -0.11 0.03 | w:down -0.06 0.46 -0.06 -0.24 -0.1 | w:draft -0.02 -0.05 -0.03 -0.19 0.29 | w:drafts 0 0 0.01 -0.13 0.13
w:drop 0.17 -0.07 -0.01 -0.04 -0.05 | w:each -0.02 0.21 0.01 -0.12 -0.08 | w:email -0.02 -0.23 0 0.24 0.01 | w:emails -0.02 -0.02 -0.03 0.1 -0.03
w:english 0.02 0.14 -0.02 -0.12 -0.02 | w:enough -0.06 0 0.37 -0.25 -0.05 | w:entry -0.01 -0.02 -0.01 0.1 -0.06 | w:errors -0.03 -0.01 -0.04 0.15 -0.08
w:essays -0.02 0.18 -0.1 -0.04 -0.03 | w:every -0.04 0.12 -0.07 -0.12 0.11 | w:everyone 0 0.17 -0.1 -0.06 0 | w:everything -0.16 0.15 0 -0.15 0.15
w:explain 0.02 -0.18 0.27 0.03 -0.14 | w:explanations -0.04 0.14 0.03 -0.06 -0.07 | w:failing 0.17 -0.01 -0.01 -0.12 -0.04
w:fails -0.02 -0.03 -0.01 -0.06 0.12 | w:feature -0.02 -0.04 -0.02 0.1 -0.03 | w:fewer -0.01 0.28 -0.01 -0.17 -0.09
w:figure -0.01 -0.02 -0.01 0.11 -0.07 | w:find 0.01 -0.1 -0.01 -0.03 0.12 | w:finish -0.07 -0.02 -0.01 0.12 -0.02 | w:first 0.15 -0.15 -0.06 0.19 -0.13
w:five -0.02 0.62 -0.02 -0.22 -0.36 | w:flag -0.01 -0.02 -0.01 0.13 -0.08 | w:follow -0.01 0.15 0.02 -0.09 -0.07 | w:for -0.03 -0.08 0.07 -0.24 0.28
w:forever -0.02 -0.03 0 -0.06 0.11 | w:forgetting -0.02 -0.01 0 0.21 -0.18 | w:format 0.15 -0.03 -0.01 -0.08 -0.04
w:fridays -0.02 -0.02 -0.01 -0.13 0.18 | w:friendly -0.13 -0.01 0 0.15 -0.01 | w:from -0.14 0.3 -0.06 -0.06 -0.04 | w:full 0 -0.15 -0.01 0.11 0.05
w:future 0 0.1 0.03 -0.17 0.04 | w:german -0.02 -0.07 -0.01 0.1 0 | w:get -0.09 0.1 0.03 0.08 -0.11 | w:gets -0.02 -0.05 -0.02 0.13 -0.04
w:getting 0.01 0.24 -0.02 -0.21 -0.02 | w:give 0.02 0.25 -0.01 -0.15 -0.11 | w:go -0.03 -0.21 -0.06 -0.14 0.44 | w:guessing -0.04 -0.05 -0.02 -0.02 0.13
w:hand -0.03 0.05 0 -0.23 0.22 | w:has -0.02 0.24 -0.03 -0.2 0.02 | w:have -0.09 0.15 -0.1 0.03 0.01 | w:hear 0 -0.17 0.01 0.17 -0.01
w:help 0.16 -0.02 0.01 0.02 -0.18 | w:helpful -0.02 -0.04 -0.01 0.12 -0.05 | w:here -0.02 -0.04 0.01 -0.16 0.21 | w:home -0.02 -0.04 -0.01 -0.35 0.43
w:honest 0.25 -0.11 -0.03 -0.04 -0.08 | w:how 0.11 -0.07 -0.04 0.06 -0.07 | w:i 0.13 0.36 -0.03 -0.32 -0.09 | w:ideas 0 -0.05 0.02 -0.09 0.12
w:if -0.1 -0.2 -0.08 0.18 0.2 | w:images -0.04 -0.05 -0.03 0.45 -0.34 | w:in -0.39 -0.04 0.08 0.34 0.01 | w:instead -0.02 -0.08 -0.05 0.13 0.01
w:is 0.2 0.17 -0.02 -0.6 0.26 | w:it 0.12 -0.1 -0.19 0.05 0.12 | w:just 0.12 -0.23 -0.02 0.17 -0.04 | w:keep -0.03 0.07 -0.12 0.2 -0.12
w:know -0.03 0.09 -0.09 0.21 -0.19 | w:last -0.03 -0.03 -0.04 0.18 -0.07 | w:later 0 -0.05 -0.01 -0.06 0.12 | w:leave 0.13 -0.04 -0.02 -0.67 0.6
w:length 0.15 -0.02 -0.02 -0.11 -0.01 | w:less -0.02 0.46 -0.13 -0.27 -0.03 | w:letter -0.02 -0.02 -0.01 -0.09 0.13
w:letters -0.01 0.22 -0.01 -0.21 0.01 | w:like 0.35 0.32 -0.03 -0.35 -0.29 | w:line 0.11 -0.26 -0.04 0.13 0.06 | w:lines -0.08 0.12 0 -0.04 0.01
w:links -0.02 0.15 0 -0.11 -0.02 | w:lint -0.03 -0.03 -0.03 0.17 -0.07 | w:list -0.05 -0.07 -0.01 0.18 -0.04 | w:lists -0.02 -0.04 -0.05 0.15 -0.04
w:little -0.01 -0.01 0.11 -0.09 -0.01 | w:log -0.04 -0.17 0.13 0.11 -0.03 | w:logs -0.12 0.13 -0.02 -0.18 0.19 | w:long -0.05 0.49 -0.01 -0.1 -0.34
w:look -0.01 -0.05 0 -0.13 0.19 | w:lot 0.17 0.05 0.01 -0.09 -0.13 | w:mails -0.06 -0.06 -0.06 0.08 0.1 | w:main -0.01 -0.04 -0.01 0.1 -0.05
w:makes 0.04 -0.04 0 -0.13 0.14 | w:many -0.01 0.16 -0.02 -0.14 0.02 | w:markdown 0 -0.06 0 -0.19 0.26 | w:marketing -0.01 -0.04 -0.01 -0.08 0.13
w:max -0.01 0.24 -0.01 -0.19 -0.03 | w:me 0.17 -0.19 0.07 -0.08 0.04 | w:metric -0.02 -0.09 -0.02 0.39 -0.26 | w:mind -0.13 -0.01 0 0.17 -0.02
w:minutes -0.01 0.19 -0.01 -0.06 -0.11 | w:money -0.01 -0.03 -0.02 0.14 -0.08 | w:month -0.02 -0.03 -0.02 0.16 -0.09
w:more -0.08 -0.26 1.04 -0.55 -0.15 | w:morning 0.08 -0.03 0 0.13 -0.18 | w:most 0 0.31 0 -0.16 -0.14 | w:much -0.03 0.27 -0.02 -0.08 -0.14
w:must -0.01 -0.05 -0.01 -0.08 0.15 | w:my -0.13 0.12 -0.12 -0.28 0.42 | w:name -0.04 -0.05 -0.03 0.01 0.12 | w:names -0.07 -0.19 -0.04 0.01 0.3
w:need 0.07 0.16 -0.18 0.15 -0.19 | w:needs -0.01 0.18 -0.08 0.11 -0.19 | w:nested -0.01 0.04 -0.03 -0.11 0.12 | w:never 0.09 -0.03 -0.02 -0.13 0.09
w:new -0.03 -0.1 0.02 0.17 -0.06 | w:news -0.03 0.14 -0.01 0.02 -0.13 | w:no -0.01 -0.32 -0.05 -0.19 0.58 | w:not -0.22 0.13 0.26 -0.32 0.17
w:notes -0.03 -0.07 0.01 0.11 -0.02 | w:nothing -0.02 -0.03 -0.02 -0.14 0.21 | w:now 0.24 0.15 -0.08 -0.07 -0.24 | w:numbers 0.02 -0.17 0.39 -0.04 -0.19
w:of -0.25 0.45 -0.26 -0.31 0.38 | w:off -0.11 -0.09 -0.02 0.2 0.02 | w:okay 0 -0.02 -0.01 -0.09 0.13 | w:one 0.05 -0.23 0.08 0.12 -0.02
w:ones -0.01 0.26 0 -0.19 -0.06 | w:only -0.1 -0.01 -0.1 -0.07 0.28 | w:options 0.13 0.25 -0.1 -0.06 -0.22 | w:order -0.07 -0.05 -0.01 0.19 -0.05
w:our -0.07 -0.14 0.02 0.17 0.02 | w:out -0.01 -0.26 -0.06 -0.16 0.49 | w:outage 0 0.15 0 -0.03 -0.11 | w:over 0 -0.02 0.02 -0.15 0.16
w:paragraph -0.02 -0.01 -0.01 -0.09 0.13 | w:paragraphs -0.02 0.27 -0.02 -0.13 -0.1 | w:parents -0.01 -0.09 -0.01 0.12 -0.02
w:pass -0.01 0 0 -0.12 0.14 | w:people -0.02 -0.14 -0.01 0.19 -0.02 | w:per -0.03 -0.14 -0.01 0.3 -0.12 | w:perfect 0.16 -0.05 -0.03 -0.07 -0.01
w:phone -0.01 0.25 -0.01 -0.11 -0.12 | w:plain 0.12 -0.03 -0.01 0.02 -0.1 | w:plan 0 -0.03 0 0.15 -0.11 | w:please 0.15 0.03 -0.13 0.02 -0.06
w:pnpm -0.01 -0.03 -0.01 0.14 -0.08 | w:point -0.04 0.19 -0.01 -0.11 -0.03 | w:polite 0.2 0.11 0.03 -0.13 -0.2 | w:pr -0.03 -0.05 -0.04 0.14 -0.03
w:prefer -0.03 -0.02 0.03 0.11 -0.08 | w:product -0.01 0.22 -0.1 -0.09 -0.02 | w:project -0.08 -0.04 -0.03 0.23 -0.08 | w:prs 0.01 -0.1 -0.04 -0.21 0.34
w:pull -0.01 0.14 -0.01 -0.12 0 | w:pushed -0.03 -0.06 -0.01 -0.04 0.14 | w:put 0.03 -0.16 -0.06 0.19 0 | w:qa -0.01 -0.03 -0.01 -0.05 0.1
w:question -0.02 -0.07 -0.02 0.14 -0.02 | w:questions -0.02 -0.02 -0.01 0.21 -0.17 | w:quote -0.01 0.14 -0.09 -0.05 0.01
w:rather -0.02 0.07 -0.03 -0.12 0.1 | w:read 0.07 -0.19 -0.07 0.15 0.04 | w:recipes -0.01 -0.01 0 0.12 -0.1 | w:red -0.01 -0.04 -0.01 0.19 -0.13
w:replies 0.1 -0.3 0.22 -0.08 0.06 | w:reply -0.01 -0.06 0.12 0.02 -0.07 | w:rewrite -0.01 -0.03 -0.01 -0.27 0.31 | w:right 0.31 -0.06 -0.03 -0.16 -0.06
w:said -0.04 -0.09 -0.03 0.22 -0.07 | w:save 0 -0.04 0 -0.09 0.13 | w:say -0.03 -0.19 -0.04 0.25 0.01 | w:school -0.01 -0.01 -0.01 0.1 -0.07
w:seat -0.02 -0.02 -0.01 0.12 -0.07 | w:seconds 0 0.16 0 -0.04 -0.11 | w:sentences -0.01 0.1 -0.01 -0.11 0.03 | w:seven -0.01 0.26 -0.01 -0.19 -0.05
w:she 0 -0.1 0 0.13 -0.04 | w:shop 0 -0.1 -0.01 0.14 -0.03 | w:should -0.04 -0.15 0.06 0.24 -0.12 | w:show 0.11 -0.01 0 -0.15 0.06
w:site -0.02 -0.03 0 -0.06 0.11 | w:skip -0.02 0.15 -0.01 -0.22 0.11 | w:small 0.33 -0.03 -0.06 -0.12 -0.11 | w:so -0.29 -0.29 0.13 0.52 -0.07
w:something -0.05 -0.05 -0.01 0.17 -0.06 | w:sound 0 0 0.15 -0.26 0.12 | w:source -0.01 -0.08 0.16 -0.04 -0.03 | w:spaces -0.06 -0.06 -0.02 0.21 -0.07
w:speak -0.01 -0.03 -0.03 -0.09 0.16 | w:start 0.09 -0.05 -0.05 0.13 -0.12 | w:stick -0.06 -0.23 -0.01 0.3 -0.01 | w:stop 0.15 -0.01 -0.02 -0.16 0.03
w:subject -0.05 -0.03 -0.02 0.12 -0.02 | w:suggest -0.02 -0.01 0.04 0.1 -0.11 | w:summaries -0.1 0.21 0.02 -0.03 -0.1
w:summary 0.06 -0.01 -0.02 0.13 -0.16 | w:super -0.01 0.11 -0.03 0.11 -0.18 | w:sure -0.02 -0.05 -0.04 0.17 -0.05 | w:table 0.14 0.13 -0.01 -0.21 -0.05
w:tables 0.01 -0.06 -0.01 -0.16 0.21 | w:talk -0.01 0.24 -0.08 -0.15 0.01 | w:technical -0.01 -0.11 -0.01 0.15 -0.02 | w:tell -0.04 -0.05 0.1 -0.03 0.01
w:telling -0.07 -0.01 -0.01 0.13 -0.04 | w:ten -0.04 0.29 -0.03 0.08 -0.3 | w:terms -0.01 -0.12 -0.01 0.15 -0.02 | w:terse 0 -0.18 0.19 -0.01 0
w:test 0.14 -0.13 0.05 0.03 -0.09 | w:text -0.03 0.05 -0.03 0.68 -0.67 | w:than -0.01 0.08 -0.29 0.25 -0.03 | w:that 0.29 -0.09 0 0.18 -0.39
w:the 0.14 0 -0.17 0.01 0.05 | w:them 0.05 0.01 0.1 -0.18 0.03 | w:then -0.04 -0.04 -0.01 0.17 -0.07 | w:things -0.02 0.14 -0.03 -0.01 -0.09
w:thirty -0.01 0.16 0 -0.04 -0.12 | w:this 0.23 -0.22 -0.05 -0.02 0.05 | w:those 0.06 -0.07 -0.02 -0.18 0.2 | w:through -0.01 0.15 0.01 0.06 -0.22
w:ticket -0.08 -0.06 -0.03 0.21 -0.04 | w:time -0.03 -0.15 -0.03 0.02 0.18 | w:to -0.51 0.01 0.18 0.17 0.16 | w:tone 0.02 0.3 -0.01 -0.31 -0.01
w:too -0.08 -0.07 0.17 0.11 -0.14 | w:translate -0.01 -0.15 -0.01 0.01 0.16 | w:try -0.01 0.23 0.26 -0.46 -0.02 | w:two 0 0.33 -0.08 0.06 -0.32
w:types 0 -0.01 -0.01 -0.12 0.14 | w:up 0 0.13 -0.02 -0.24 0.13 | w:update -0.02 -0.02 0 0.23 -0.19 | w:use -0.1 -0.26 0.08 0.49 -0.21
w:useful 0.13 -0.12 0.11 -0.01 -0.11 | w:uses 0 -0.09 0 0.14 -0.03 | w:using -0.01 -0.09 -0.03 -0.03 0.16 | w:variable -0.02 -0.02 -0.01 -0.09 0.13
w:verify -0.01 -0.02 -0.02 -0.05 0.1 | w:wall -0.02 -0.02 -0.01 -0.09 0.13 | w:was 0.19 0.01 -0.01 -0.19 0 | w:way 0.02 -0.04 -0.06 -0.03 0.12
w:we -0.1 -0.16 -0.05 0.29 0.02 | w:weekly 0.1 0.04 -0.01 -0.08 -0.04 | w:were -0.06 -0.07 0.01 0.18 -0.06 | w:what 0.08 -0.22 0.11 -0.02 0.05
w:when -0.12 0.11 0.04 0.24 -0.27 | w:whenever -0.04 -0.08 -0.01 0.21 -0.08 | w:who -0.03 -0.05 -0.02 0.15 -0.05 | w:whole -0.01 -0.09 -0.01 -0.01 0.11
w:why -0.02 -0.05 0.12 0 -0.05 | w:window -0.18 -0.01 -0.01 0.21 -0.01 | w:with 0.29 -0.07 0.15 -0.21 -0.15 | w:without -0.06 -0.08 -0.04 0.42 -0.26
w:words 0.02 0.18 -0.05 -0.39 0.23 | w:wordy -0.01 0.17 -0.02 -0.07 -0.06 | w:would -0.29 -0.14 0.15 0.21 0.07 | w:write -0.02 0.1 0.04 0.11 -0.22
w:writing 0.15 -0.01 -0.01 -0.1 -0.02 | w:year -0.02 -0.03 -0.01 0.13 -0.07 | w:you 0.09 -0.07 0 -0.14 0.23 | w:your 0.06 0.02 0.28 -0.09 -0.27
want 0.04 -0.21 -0.02 0.6 0.09 | wants-a-thing 0.02 -0.21 0.18 0.1 -0.09 | way:alone -0.05 -0.07 -0.03 -0.3 0.44 | way:always 0.03 -0.06 -0.04 1 0.07
way:bound -0.02 1.04 -0.03 0.01 -0.01 | way:brief 0 1.03 0.08 -0.04 -0.06 | way:condition -0.1 0.06 -0.1 1.21 -0.36
way:dislike -0.04 0.16 -0.04 -0.09 1.01 | way:dont 0.06 0.22 0.11 -0.12 0.7 | way:ensure -0.09 -0.13 0.19 1.16 -0.13
way:how -0.01 0.06 -0.01 0.73 -0.07 | way:instead -0.02 -0.07 -0.05 0.46 0.17 | way:keep 1.25 -0.06 -0.09 0.19 -0.28
way:keeps 0.2 -0.02 -0.03 0.06 0.79 | way:lasting -0.01 0.17 -0.05 0.36 0.03 | way:less -0.01 1.77 -0.07 -0.16 -0.02 | way:like_that 1.5 0.01 0 -0.01 0
way:little 0 -0.03 1.04 -0.01 -0.01 | way:more -0.03 -0.05 1.45 -0.31 -0.06 | way:more_brief -0.01 1.57 0.05 -0.09 -0.02 | way:more_often 0 0 1.5 0 0
way:never 0.1 -0.11 -0.01 -0.1 1.12 | way:no 0.03 -0.03 -0.02 0.14 0.88 | way:no_need -0.02 -0.04 -0.02 -0.15 1.23
way:praise 1.17 -0.04 -0.07 0.09 -0.16 | way:reduce -0.03 1.65 -0.05 -0.03 -0.04 | way:should -0.1 0.03 -0.01 0.46 0.12
way:stop -0.24 0.08 -0.08 -0.3 1.53 | way:style -0.01 0.24 -0.04 0.66 -0.15 | way:too -0.02 -0.14 0.19 0.04 -0.07
way:too_many -0.01 1.09 -0.01 -0.01 -0.05 | way:want -0.17 -0.11 0 0.47 0.31 | words:1-3 -0.04 -0.06 -0.02 0.17 -0.05
words:21+ -0.05 -0.03 -0.02 0.19 -0.09 | words:4-6 -0.19 -0.06 -0.11 0.17 0.22 | words:7-12 0.01 0.07 -0.15 0.2 -0.1 | work -0.13 -0.3 0.14 0.2 0.18
you 0.08 -0.08 0 -0.15 0.25 | you-are-too -0.02 1.18 -0.01 -0.1 -0.05 | you-did -0.06 -0.13 -0.07 0.17 0.1 | you-forget -0.02 -0.02 0 3.73 -0.19
your 0.05 -0.04 0.27 -0.13 -0.15 | your-thing-should -0.04 -0.04 0.13 0 -0.04 | your-work -0.37 -0.04 0.31 0.22 -0.12
`;
