/** Replacements that turn speech into writing, in this order. */
export const ENGLISH_TIDY: readonly (readonly [RegExp, string])[] = [
  [/\bgonna\b/gi, 'going to'],
  [/\bwanna\b/gi, 'want to'],
  [/(?<!\b(?:do|did|if|as|let|n['’]t) )\byou know\b(?! (?:wh\w+|that|how|if|the|about|any)\b)\s*,?/gi, ''],
  [/(^|,\s*)(?:you know|I mean|you see|sort of|kind of|like|I guess|let['’]s say|okay|right|yeah)\s*,\s*/gi, '$1'],
  [/(?<!\b(?:a|some|what|any|this|that|these|those|the|which|other|same|every|no|one|of) )\b(?:kind|sort) of (?:like )?/gi, ''],
  [
    /,?\s*\b(?:or something(?: like that)?|or whatever|and (?:stuff|everything)(?: like that)?|and so on|I (?:guess|suppose|think)|you know|right|okay|yeah|though|anyway)\s*(?=[.?!]?$)/i,
    ''
  ]
]

/** Words before the beginning of what a sentence says. */
export const ENGLISH_OPENERS =
  /^(?:(?:so|and|but|oh|plus|then)\b(?! (?:far|that|much|many|long|again)\b)[\s,]*|(?:okay|ok|alright|all right|anyway|yeah|yep|yes|nope|ah|I mean|you know|you see|I guess|I suppose|well|right|sure|exactly|true|cool|great|good|fine|no|now|basically|actually|obviously|also|again|absolutely|definitely|of course|certainly|look|sorry|however|in fact|like I said|to be honest|let['’]s see|the thing is|thanks|thank you|(?:hello|hi|hey)(?: \p{Lu}\p{L}+)?)\s*(?:,|(?<=mean|know|guess|suppose|okay|yeah|yes|alright|ok|sure) |(?<=well|basically|actually|obviously|also) (?=\p{L}))\s*|(?:mr|mrs|ms|madam|dr)\.? ?\p{L}+\s*,\s*)+/iu

/** A sentence that means little outside its moment: thanks, asides, words about the screen. */
export const ENGLISH_EMPTY =
  /^(?:thank|thanks|sorry|welcome|good (?:morning|afternoon|evening)|hello|hi|bye)\b|\b(?:I['’]m sorry|excuse me|thank you|see you|I don['’]t (?:know|remember|think so|care|mind)|you['’]re welcome|hear me|microphones?|slide|blah|wow|funny|joking|laugh\w*|go ahead|(?:up|over|right|down) (?:here|there)|(?:this|that|these|those) (?:ones?|thing|guy|stuff)|like (?:this|that)|what I['’]m saying|(?:he|she) said|forgot|next question|I (?:just )?want(?:ed)? to (?:ask|say|thank)|point of order|the floor)\b/i

/** A sentence that weighs more: reasons, findings, proposals, amounts. */
export const ENGLISH_TELLING =
  /\b(?:because|important|essential|problem is|propos\w+|suggest\w*|recommend\w*|found (?:out )?that|result\w*|means that|we (?:need|have to|should|must)|instead of|rather than|in order to|concern\w*|require\w*|cost\w*|budget|deadline|target\w*|goal|risk\w*|per ?cent|million|billion|compared|increase\w*|decrease\w*|improve\w*|evidence|according to)\b/i

export const ENGLISH_DECIDED =
  /\b(?:(?:we|I)(?:['’]ve| have)? (?:all )?(?:decided|agreed|settled) (?:to|on|that|not|against|we|it)\b|(?:it['’]s|was|is|been) (?:decided|agreed|settled|adopted)\b|let['’]s (?:go (?:with|for)|use|keep|stick|do (?:it|that) (?:like|with)|drop|make it|leave (?:it|that) out)\b|we(?:['’]ll| will|['’]re going to)(?: (?:just|all|then|definitely))* (?:go (?:with|for|ahead)|use|stick with|drop|adopt|launch|postpone|cancel)\b|(?:the|our) (?:final )?decision (?:is|was|for today)\b|motion (?:is )?(?:agreed|carried|adopted)|(?:budget|proposal|plan|report) is (?:adopted|approved))/i

/** A condition, question or negation, which takes a decision back. */
export const ENGLISH_HYPOTHETICAL =
  /\b(?:if|whether|unless|would|could|might|maybe|perhaps|suppose|imagine|have(?:n['’]t| not)|not (?:yet )?decided|(?:before|until|when|once) we|(?:should|can|do) we|let['’]s say|didn['’]t|in case|depend\w*|wonder\w*)\b/i

/** A statement that something is not settled. */
export const ENGLISH_OPEN =
  /\b(?:(?:open|big|real|main|only|remaining) question (?:is|remains)|question is (?:whether|how|what|if|who|which|when)|(?:we|still) (?:still |also )?(?:need|have) to (?:decide|figure out|work out|determine|agree on|settle)|(?:not|isn['’]t|it['’]s un) ?(?:yet )?clear (?:whether|how|what|if|who|which|why)|(?:is|are) still open|we (?:still )?don['’]t (?:yet )?know (?:whether|if|how|what|who|which|when|where|why)|yet to be (?:seen|decided|determined)|not sure (?:whether|if|how|what|which) (?:we|the|this|it|they)|undecided|nobody knows)\b/i

/** A question about the conversation itself. */
export const ENGLISH_SMALL_TALK =
  /^(?:(?:did|would|have|are|do|were|can|could|will) you|am I|is (?:that|this|it) (?:what|the one|yours?|you))\b|\b(?:hear (?:me|us|you)|how are you|any (?:more |other |further )?(?:questions?|comments?|thoughts?)|(?:anything|anyone|anybody) else|what(?:['’]s| is) (?:that|this|it|up)\?|shall we|are (?:you|we) (?:ready|done|all set|okay)|who(?:['’]s| is) (?:first|next|there|this|that)|who wants|you know what|is (?:that|it|this) (?:okay|ok|alright|right|clear|fine)|make sense|what do you (?:think|mean)|what did you say|(?:can|may|could) I|sorry|pardon|remember|do you (?:want|mean|see|agree|think so)|what time|right\?|okay\?|why not|so what)\b/i
