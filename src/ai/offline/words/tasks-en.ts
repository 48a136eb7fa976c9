import { setOf } from './lexicon.ts'

/** Verbs of work that is done after the conversation, in their base forms. */
export const STRONG_VERBS = setOf(`
send email e-mail mail draft prepare schedule reschedule circulate distribute forward upload submit publish review update investigate fix arrange organize organise book order buy contact consult
share finish complete document invite install research compile collect deliver transcribe summarize summarise analyze analyse implement rerun retrain tabulate synthesize double-check doublecheck
email-out ship deploy print post sign hire approve register translate renew cancel purchase clarify`)

/** These two-word verbs as well. */
export const STRONG_PHRASES =
  /^(?:follow up|look into|look up|find out|check (?:with|on|in with|whether|if)|get back to|get (?:in touch|hold)|set up|put together|type up|write (?:up|to|back|an?|the|some|him|her|them|you)\b|double check|take a (?:closer )?look at|have a (?:closer )?look at|look (?:it|that|this|them) up|get (?:\p{L}+ )?(?:a|an|some|the) (?:quote|copy|copies|estimate|answer|numbers)|find (?:a|an|some|someone|somebody)|report back|sort out|take care of|work on|send out|hand out|draw up|read up|print out|bring back|come up with|figure out|chase up|pick up|fill (?:in|out)|sign up|reach out|see (?:if|whether)|let (?:you|everyone|everybody|them|him|her|people) know|make (?:a|the|some) (?:list|copies|copy|draft|appointment|reservation|table|summary|slides|schedule|plan|prototype)|make sure (?:that|to|the|we|it|everyone|they)|give (?:him|her|them|\p{Lu}\p{Ll}+) a (?:call|ring))\b/u

/** Verbs of work that may as well happen at once; a day or a "later" must come with them. */
export const WEAK_VERBS = setOf(
  'remind talk speak meet try bring give show take look move present go read start continue discuss consider design think'
)

/** Verbs of work that count as such when what they are done to is named. */
export const WORK_VERBS = setOf(
  'check ask add make do run get put change generate measure compare record call provide confirm test track ring phone pay clean copy create build develop write collect label extract'
)

/** Promises in form only, and what is done while the conversation lasts. */
export const NOT_TASKS = new RegExp(
  [
    '^(?:do (?:is|correct)|take (?:the |some )?(?:notes|minutes)|(?:check|ask) (?:that|it|this)\\b|(?:make|take|give|get|do|put|ask|call|go|show|move|look|think|start|try|read|add|run|talk|bring) (?:it|that|this|you|to you|on to|on with|up (?:here|now)|over (?:to|here)|back to|first|ahead|through|one (?:more|second)|an example|my best|the floor|the point|about (?:it|that|this)|and)\\b(?!.*\\b(?:tomorrow|by|next|later|folder|monday|tuesday|wednesday|thursday|friday)\\b)',
    '(?:get|go|move|put) into|make (?:a|the|one|two|some) (?:point|comment|observation|statement|comments|guess|suggestion)|(?:take|give|get|do|put|ask|make) (?:a|an|one|two|three|some|four|five|six|seven) ?(?:guess|stab|seat|point|minute|second|moment|break|question|comment|quick|brief|bit|little|of|more|water|coffee|digits|two|three|four|five|one)?\\.?$',
    'share (?:(?:my|our|the) (?:time|screen|view|concern)|with you|the concern)|finish (?:up|off|there|with|by|on|here|my|\\.|$)|write (?:that|it|this)(?: down| up)?(?: on| here|\\.|$)|write (?:on|(?:a |one |the )?(?:zero|number|one|two|criteria))',
    'complete (?:my|the) (?:answer|thought)|let (?:you|everyone|everybody|them|him|her|people) know (?:that|when you)|see (?:if|whether) (?:I|you) can (?:get|find|do|remember|make)|clarify (?:that|this|what|for)|update you|review (?:that|what)',
    'make sure (?:that )?(?:I|you|it|we|that) (?:understand|understood|get|got|happens|have|is)|confirm that|present (?:that|this|it|to you)|fix (?:that|this|it)|order(?:\\.|$)|approve of|sign off|work (?:(?:on )?(?:it|that|this)?(?:\\.|$)|together|fast|out)',
    'get back to (?:that|this|it|you on|the|my|where|work)|figure out (?:that|this|it|what (?:you|we))|print (?:that|this|it)|pick up (?:on|where)|look out|provide (?:an?|the) (?:\\w+ )?(?:response|answer|update)|remind (?:members|everyone|the|all|you|people|us|honou?rable|folks|colleagues|my)|create the desire',
    '(?:ask|call|run|add|put|get|change) (?:my|a|one|another|him|her|on|upon|the|order|over|out|up|to|some|one)\\b(?!.*\\b(?:email|later|tomorrow|next|by|folder|meeting)\\b)|(?:provide|confirm) (?:an?|that|the|you) ?(?:update|response|answer)?[.]?$)'
  ].join('|'),
  'i'
)

export const LATER =
  /\b(?:later|afterwards?|after (?:the|this|our) (?:meeting|call|session|break)|tomorrow|tonight|next (?:week|meeting|time|month|year|monday|tuesday|wednesday|thursday|friday)|by (?:then|the|next|end|monday|tuesday|wednesday|thursday|friday)|this (?:week|afternoon|evening)|over the weekend|before (?:the|our|we|you) (?:next|meet|leave|go)|for (?:the|our) next (?:meeting|time)|as soon as|when I (?:get|have|hear)|once (?:I|we) (?:get|have|hear)|when I['’]m (?:done|finished)|offline|in writing|to the committee)\b/i

/** Done on the spot. */
export const AT_ONCE =
  /\b(?:now|first|quickly|briefly|real quick|for a (?:second|minute|moment)|in a (?:second|minute|moment)|right here|over here|here|on the (?:board|whiteboard|screen|slide)|next slide|this slide|the slide|microphone|for me|hang on|hold on|just a)\b/i

export const ACCEPTS =
  /^\W*(?:(?:um|uh|oh|ah|okay|ok|yeah|yes|well)\b\W*)*(?:sure|will do|of course|no problem|yes|yeah|yep|absolutely|definitely|certainly|consider it done|on it|got it|happy to|I['’ ]*(?:will|can|ll)\b|sounds good|will be done|no worries|my pleasure|with pleasure|okay|ok|alright|sicher|klar|mache ich|gerne?|natürlich|ja|bien sûr|oui|d['’]accord|claro|por supuesto|sí|vale)(?=[\s,.!]|$)/i

export const WEAKLY_ACCEPTS = /^\W*(?:okay|ok|alright|yeah|ja|oui|sí|vale)\W*$/i
