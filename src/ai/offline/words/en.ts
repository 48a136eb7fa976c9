import { type Lexicon, setOf } from './lexicon.ts'

const stop = setOf(`
a about above after again against ago ah all almost along already also although always am among an and another any anybody anyone anything anyway are aren't
around as at away back be because been before being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't done down
during each either else enough er even ever every everybody everyone everything few for from further gonna got gotta had hadn't has hasn't have haven't having he
he'd he'll he's her here here's hers herself hey him himself his hmm how how's however i i'd i'll i'm i've if in instead into is isn't it it'd it'll it's its itself just
kind kinda know least less let let's like lot lots many may maybe me mean might mine mm mm-hmm more most much must my myself neither never no nobody none nor not nothing
now of off oh ok okay on once one ones only onto or other others our ours ourselves out over own per perhaps please pretty quite rather really right same shall she she'd she'll she's
should shouldn't since so via some somebody someone something sometimes somewhat sort still such sure than thank thanks that that'd that'll that's the their theirs them themselves
then there there'd there'll there're there's these they they'd they'll they're they've this those though through til till to together too toward towards two uh uh-huh um under until up upon
us very was wasn't way we we'd we'll we're we've well were weren't what what's whatever when where where's whether which while who who's whoever whole whom whose why
will with within without won't would wouldn't yeah yep yes yet you you'd you'll you're you've your yours yourself actually basically obviously probably definitely certainly`)

const light = setOf(`
able absolutely add added address afternoon agree allow answer apparently area ask asked asking aspect assume bad based basic be become begin believe best better big bit bottom
bring brought building call called came cannot care case cases cause certain chair change changed check clear clearly colleague colleagues come comes coming committee comment common complete completely concern
consider continue correct couple course current currently day days deal decide decided depend depending describe details difference different difficult direction discuss
discussed discussing discussion doubt earlier early easier easily easy effect effectively end entire especially exact exactly example examples expect explain extent extra extremely
fact fair fairly far feel feeling figure final finally find fine finish finished first five follow following forward found four front full fun further general generally get gets
getting give given gives giving go goes going gone good great group guess guy guys half hand happen happened happening happens happy hard head hear heard help helpful
high hold honourable hope hopefully hour hours huge hundred idea ideas imagine important include including indeed information interested interesting involved issue issues keep kept key kinds knew
knowing knows large largely last late later lead leave left letting level likely limited line list listen little long longer look looked looking looks lost low made madam
main mainly make makes making matter maximum mean meaning means meant meet meeting meetings member members mention mentioned middle mind minister minor minute minutes moment money month months morning mostly
move moving mr mrs ms name names nature near nearly necessarily necessary need needed needs new next nice normal normally note notice number numbers obvious often old
open opinion opposed option order original otherwise overall part particular particularly parts past pay people percent perfect person personal personally picture piece place places plan play plus
point points possibility possible possibly present presentation presumably previous probably problem problems process provide put puts putting question questions quick quickly quite raise ran
range reach read ready real reality realize reason reasonable reasons recall received recognize recommend regard regarding related relevant remember respect respond rest result results role room
round run running said save saw say saying says second section see seeing seem seemed seems seen sense separate serious seriously set seven several shall short show showed showing side similar simple
simply single sir sit situation six size slightly slide slides small somehow somewhere soon sorry sorts sounds speak speaking specific specifically spend spent spoke stage standard start started starting
state stay step stop straight strong stuff style suggest suggested support suppose supposed system table take taken takes taking talk talked talking tell ten tend tends term terms
thing things think thinking third thirty thought thoughts three time times today together told tomorrow tonight took top topic total totally tried tries true truth try trying turn turns twenty type types
typical understand understanding use used useful user uses using usual usually various view wait want wanted wants watch ways week weeks went whatsoever wise wish wonder wondering word words
work worked working works world worry worse worth write writing written wrong year years yesterday yet zero eight nine fifteen fifty forty
hon government canada canadian canadians mister please opportunity terms thank today's round
http https www ahead eleven twelve thirteen fourteen sixteen seventeen eighteen nineteen sixty seventy eighty ninety powerpoint thousand dollar anyways briefly heck hell cool awesome alright wow hello hi bye goodbye gosh god yup nope folks everybody's`)

const verbs = setOf(`
is are was were am has have had do does did will would can could should shall may might must cannot needs wants want think thinks believe believes know knows means
seem seems feels makes made goes went gets got takes took gives gave say says said sees saw keeps kept came comes finds found helps let depends suggests suggested proposed expect expects
requires agree agrees agreed decided happens happened includes included prefer prefers provides provided shows showed tried asked tells told ran pays paid moved supported continues recommend recommends
received became becomes remains brings brought allows sent lost exists understands understand noticed mentioned wrote hear heard learned learnt built`)

const nounVerbs = setOf(`
need mean look looks feel work works make go get take give see use uses keep come find help start starts depend suggest propose hope hopes require decide change changes happen include like likes
cost costs provide show try tries ask tell talk play plays run runs put puts set sets pay move moves support supports continue receive become remain bring allow send sends call calls sit lose
exist guess imagine wonder remember notice write writes read reads learn build builds plan plans call wanted used needed worked called started changed showed looked`)

export const ENGLISH: Lexicon = {
  code: 'en',
  stop,
  light,
  fillers: setOf('um umm uh uhh uhm erm er eh hm hmm hmmm mm mmm mhm mm-hmm mm-hm uh-huh huh oop oops ooh hmm-mm mmm-hmm'),
  tidy: [
    [/(^|[\s(])['’](?:cause|cuz|coz)\b|\b(?:cuz|coz)\b/gi, '$1because'],
    [/\bgonna\b/gi, 'going to'],
    [/\bwanna\b/gi, 'want to'],
    [/(['’]ve|\bhave|['’]s) gotta\b/gi, '$1 got to'],
    [/\bgotta\b/gi, 'have to'],
    [/\bkinda\b/gi, 'kind of'],
    [/\bsorta\b/gi, 'sort of'],
    [/\bdunno\b/gi, "don't know"],
    [/(^|\s)['’]em\b/gi, '$1them'],
    [/(^|\s)['’]bout\b/gi, '$1about'],
    [/(^|\s)['’]Kay\b/gi, '$1okay'],
    [/(^|,\s*)(?:you know|I mean|you see|sort of|kind of|like|I guess|let['’]s say)\s*,\s*/gi, '$1'],
    [
      /(?<!\b(?:do|did|if|as|that|let|don['’]t|didn['’]t|you) )\byou know\b(?!\s+(?:what|that|how|if|whether|the|where|who|why|when|about|any|of|it|this|each|him|her|them|anything|something))\s*,?/gi,
      ''
    ],
    [
      /(?<!\b(?:a|some|what|any|this|that|these|those|the|which|other|same|different|every|no|each|one|two|of) )\b(?:kind|sort) of (?:a )?(?:like )?/gi,
      ''
    ],
    [
      /\b(is|are|was|were|just|be|it['’]s|that['’]s|and|to) like,? (?=(?:a|an|the|to|you|we|I|they|it|going|really|very|just|more|having|not)\b)/gi,
      '$1 '
    ],
    [
      /,?\s*\b(?:or something(?: like that)?|or whatever|and (?:stuff|everything)(?: like that)?|and things like that|and so on and so forth|I (?:guess|suppose|think)|you know|right|okay|yeah|eh|if you like|if you will|isn['’]t it|at least|and all that|though|anyway)\s*(?=[.?!]?$)/i,
      ''
    ],
    [/\b(on|of|in|to|for|with|like|the|a|and|is|are|was|at|from|about|just) you know\b,?/gi, '$1'],
    [/\bi(?=\s|['’](?:ll|m|ve|d)\b)/g, 'I'],
    [/^[B-HJ-Z] (?=(?:it|we|you|they|the|that|there|this|he|she|I|if)\b)/, ''],
    [/\b(\p{L}{1,3})-(?=\1)/giu, ''],
    [/\by (?=\p{Ll})/gu, ''],
    [/,\s*(?:okay|right|yeah|alright|whatever)\s*,/gi, ','],
    [/\bthat that\b/gi, 'that'],
    // Begun anew: "we're desi we're designing".
    [/\b((?:we|you|they)['’](?:re|ve|ll)|I['’](?:m|ve|ll)|(?:it|that|there|he|she)['’]s) (?:[\p{L}'’]+ ){0,2}\1(?=\s)/giu, '$1']
  ],
  openers:
    /^(?:(?:so|and|but|um|uh|oh|plus|then)\b(?! (?:far|that|much|many|long|again)\b)[\s,]*|(?:okay|ok|alright|all right|anyways?|yeah|yep|yes|nope|mm|hmm|ah|'kay|I mean|you know|you see|I guess|I suppose|well|right|sure|exactly|true|cool|great|good|fine|no|now|then|like|basically|actually|obviously|also|again|absolutely|definitely|of course|certainly|listen|look|see|sorry|and so|however|therefore|in fact|as I said|as I say|like I said|first of all|to be honest|let['’]s see|let me see|the other thing is|the thing is|thing is|thank you(?: very much)?|thanks|(?:hello|hi|hey|dear)(?: (?:everyone|everybody|all|there|[A-Z]\p{L}+))?|good (?:morning|afternoon))\s*(?:,|(?<=mean|know|guess|suppose|okay|yeah|yes|alright|ok|sure|and so) |(?<=well|basically|actually|obviously|also) (?=\p{L}))\s*|(?:(?:honou?rable |hon\.? )?(?:mr\.?|mrs\.?|ms\.?|madam|dr\.?|colleagues?|minister|everyone|everybody|guys|folks)(?:\s?[A-Z][\p{L}-]+|\s?chair(?:man|person|woman)?|\s?speaker)?)\s*,\s*)/iu,
  badStarts: setOf(
    `which because than or nor whose whom of until til unless whereas 'cause is are was were has have had does did do would could should will can be been being me us him them
     may might must shall isn't aren't wasn't doesn't don't didn't s t re ve ll d m versus et etc whereby thereby such rather too either neither both likewise namely together much more less
     where who whatever with`
  ),
  badEnds: setOf(
    `the a an and or but of to in on at for with from by as if which so because than like my your our their his its is are was were be been i we he she they very just um into
     onto about between not really quite such some any every each whose whether also then that's it's i'm we're they're you're there's he's she's i've we've you've they've i'll we'll you'll
     a lot more most maybe will would can could should may might must don't doesn't didn't how why what when where who have has had does did got get going 's there's`
  ),
  verbs,
  nounVerbs,
  nounLeads: setOf(
    `the a an this these those our my your their his her its of some any no every each another new different first second last main more two three several many for in on with by from about`
  ),
  verbLeads: setOf(
    `to i we you they he she it will would can could should may might must not don't didn't doesn't won't can't i'll we'll you'll they'll i'd we'd let's gonna just really`
  ),
  telling:
    /\b(?:because|the (?:main|key|biggest|only|real|whole|first|second|other) (?:problem|point|thing|issue|reason|question|idea|goal|aim|concern|challenge|advantage|difference)|important|essential|problem is|propos\w+|suggest\w*|recommend\w*|conclu\w+|found (?:out )?that|result\w*|show(?:s|ed) that|means that|we need|we have to|need to|should|must|instead of|rather than|in order to|concern\w*|require\w*|cost\w*|budget|deadline|target\w*|plan\w* to|aim\w*|goal|risk\w*|per ?cent|million|billion|prefer\w*|compared|increase\w*|decrease\w*|improve\w*|evidence|according to)\b|[%€$£]|\b\d{2,}\b/i,
  empty:
    /^(?:thank|thanks|sorry|welcome|good (?:morning|afternoon|evening)|hello|hi|bye)\b|\b(?:I['’]m sorry|excuse me|thank you|see you|I don['’]t (?:know|remember|think so|care|mind)|you['’]re welcome|hear me|microphones?|headsets?|power ?point|slide|blah|wow|shit|damn|funny|joke|joking|laugh\w*|my turn|go ahead|up here|over here|over there|right here|down here|this (?:one|thing|guy|stuff)|that (?:one|thing|guy|stuff)|these ones|those ones|something like that|like this|like that|what I['’]m saying|what I was|you['’]re saying|he said|she said|forgot|whoever|I call upon|next (?:question|petition)|I was (?:just )?(?:going to|wondering)|I (?:just )?want(?:ed)? to (?:ask|say|thank|come back|go back|pick up)|point of order|the floor)\b|(?:^|\s)(?:um|uh)\b/i,
  decided:
    /\b(?:(?:we|I)(?:['’]ve| have)? (?:all )?(?:decided|agreed|settled)(?: (?:to|on|that|not|against|we|it)\b)|(?:it['’]s|it was|it has been|was|is|been) (?:decided|agreed|settled) (?:to|on|that)\b|let['’]s (?:go (?:with|for)|use|keep|stick|do (?:it|that) (?:like|with)|drop|make it|leave (?:it|that) (?:out|at)|have (?!(?:an?|the|another) (?:look|quick|go|think|break|next|word|brief|chat))|stay|take the\b(?! (?:next|first)))|we(?:['’]ll| will|['’]re going to| are going to)(?: (?:just|all|then|definitely|probably|also))* (?:go (?:with|for|ahead)|use|stick with|drop|stay with|leave out|not (?:be|use|have|do)|adopt|launch|postpone|cancel)\b|we['’]re (?:just )?(?:going|sticking|sticking) (?:with|for)\b|(?:the|our) (?:final )?decision (?:is|was) (?:to|that)\b|I hereby\b|motion (?:is )?(?:agreed|carried|adopted)|we won['’]t (?:be |need |use |have |do )|I(?:['’]ve| have) decided)/i,
  hypothetical:
    /\b(?:if|whether|unless|would|could|might|maybe|perhaps|suppose|imagine|haven['’]t|hasn['’]t|not (?:yet )?decided|before we|until we|should we|can we|do we|when we|once we|let['’]s say|why don['’]t|didn['’]t|in case|depend\w*|assuming|supposed|say that|wonder\w*)\b|\?$/i,
  open: /\b(?:(?:open|big|real|main|only|remaining|other) question (?:is|remains|would be)|question is (?:whether|how|what|if|who|which|when)|(?:still|also) (?:need|have) to (?:decide|figure out|work out|find out|determine|settle|agree on|think about)|we (?:need|have) to (?:decide|figure out|work out|determine|agree on|settle)|(?:not|isn['’]t|it['’]s un) ?(?:yet )?clear (?:whether|how|what|if|who|which|why)|unclear (?:whether|how|what|if|who|which|why)|we (?:still )?don['’]t (?:yet )?know (?:whether|if|how|what|who|which|when|where|why)|(?:remains|have yet) to be (?:seen|decided|determined)|(?:I['’]m|we['’]re) not sure (?:whether|if|how|what|which) (?:we|the|this|it|they|there)|haven['’]t (?:yet )?decided|undecided|no one knows|nobody knows)\b/i,
  socialQuestion:
    /^(?:(?:did|would|have|are|do|were|can|could|will) you|am I|is (?:that|this|it) (?:what|the one|yours?|you))\b|\b(?:hear (?:me|us|you)|how are you|any(?:one|body)? (?:else|other)? ?(?:questions?|comments?|thoughts?|want)|any (?:more |other |further )?(?:questions?|comments?|thoughts?)|what(?:['’]s| is) (?:that|this|it|up)\?|shall we|are (?:you|we) (?:ready|done|finished|all set|recording|okay)|who(?:['’]s| is) (?:first|next|there|this|that|missing|talking|speaking|going (?:first|next|to start))|who (?:wants|would)|you know what|know what I mean|is (?:that|it|this|everybody|everyone) (?:okay|ok|alright|all right|right|clear|fine|correct|good)|does that make sense|make sense|what do you (?:think|mean|guys)|what did you (?:say|mean)|can I|may I|could I|sorry|pardon|remember|did you (?:say|see|hear|get|want)|do you (?:want|mean|see|know|have (?:a|any) (?:question|comment)|agree|think so)|don['’]t you|aren['’]t you|can you (?:see|hear|repeat|say|pass|move|plug|go)|could you (?:plug|pass|move|repeat|say|go)|what time|how long (?:have|do) we|where (?:are|were) we|is there any(?:thing|one|body) (?:else|other)|right\?|okay\?|why not|so what|isn['’]t it|are you (?:saying|talking)|will the (?:minister|prime minister|government)|minister)\b/i,
  words: {
    overview: 'Overview',
    keyPoints: 'Key points',
    decisions: 'Decisions',
    openQuestions: 'Open questions',
    nextSteps: 'Next steps',
    and: 'and',
    by: 'by',
    others: count => `${count} others`,
    participants: (names, alone) => (alone ? `${names} spoke.` : `${names} took part.`),
    topics: list => `Main topics: ${list}.`,
    partial: 'Only the first part of the conversation is summarised.'
  }
}
