/** Replacements that turn speech into writing, in this order. */
export const ENGLISH_TIDY: readonly (readonly [RegExp, string])[] = [
  // The first letter of a word that was begun again.
  [/(?<!\S)[b-hj-z] (?=\p{L}{2})/gu, ''],
  [/\bgonna\b/gi, 'going to'],
  [/\bwanna\b/gi, 'want to'],
  [/(?<!\b(?:do|did|if|as|let|n['’]t) )\byou know\b(?! (?:wh\w+|that|how|if|the|about|any)\b)\s*,?/gi, ''],
  [/(^|,\s*)(?:you know|I mean|you see|sort of|kind of|like|I guess|let['’]s say|okay|right|yeah)\s*,\s*/gi, '$1'],
  [
    /(?<!\b(?:a|some|what|any|this|that|these|those|the|which|other|same|every|no|one|of) )\b(?:kind|sort) of (?:like )?/gi,
    ''
  ],
  [
    /,?\s*\b(?:or something(?: like that)?|or whatever|and (?:stuff|everything)(?: like that)?|and so on|I (?:guess|suppose|think)|you know|right|okay|yeah|though|anyway)\s*(?=[.?!]?$)/i,
    ''
  ]
]

/** Words before the beginning of what a sentence says. */
export const ENGLISH_OPENERS =
  /^(?:(?:so|and|but|oh|plus|then)\b(?! (?:far|that|much|again)\b)[\s,]*|(?:okay|ok|alright|anyway|yeah|yep|yes|ah|I mean|you know|I guess|I suppose|well|right|sure|exactly|true|cool|great|good|no|now|basically|actually|obviously|also|again|absolutely|definitely|of course|certainly|look|sorry|however|in fact|like I said|to be honest|thank you|(?:hello|hi|hey)(?: \p{Lu}\p{L}+)?)\s*(?:,|(?<=mean|know|guess|suppose|okay|yeah|yes|alright|ok|sure) |(?<=well|basically|actually|obviously|also) (?=\p{L}))\s*|(?:mrs?|ms|madam|dr)\.? ?\p{L}+\s*,\s*)+/iu

/** A sentence that means little outside its moment: thanks, asides, words about the screen. */
export const ENGLISH_EMPTY =
  /^(?:thanks|sorry|welcome|good (?:morning|afternoon|evening))\b|\b(?:I['’]m sorry|thank you|see you|I don['’]t (?:know|remember|think so|care|mind)|microphones?|slide|blah|wow|funny|laugh\w*|go ahead|(?:up|over|right|down) (?:here|there)|(?:this|that|these|those) (?:ones?|thing|guy|stuff)|like (?:this|that)|what I['’]m saying|(?:he|she) said|forgot|next question|I (?:just )?want(?:ed)? to (?:ask|say|thank)|point of order|the floor)\b/i

/** A sentence that weighs more: reasons, findings, proposals, amounts. */
export const ENGLISH_TELLING =
  /\b(?:because|important|essential|problem is|propos\w+|suggest\w*|recommend\w*|found (?:out )?that|result\w*|means that|we (?:need|have to|should|must)|instead of|rather than|in order to|concern\w*|require\w*|cost\w*|budget|deadline|target\w*|goal|risk\w*|per ?cent|million|billion|compared|increase\w*|decrease\w*|improve\w*|evidence|according to)\b/i

export const ENGLISH_DECIDED =
  /\b(?:(?:we|I)(?:['’]ve| have)?(?: all)? (?:decided|agreed|settled) (?:to|on|that|not|against|we)|(?:is|was|been) (?:decided|agreed|settled|adopted)|let['’]s (?:go (?:with|for)|use|keep|stick|drop|make it)|we(?:['’]ll| will|['’]re going to)(?: just)? (?:go (?:with|for|ahead)|use|stick with)|(?:the|our) (?:final )?decision (?:is|was))\b/i

/** A condition, question or negation, which takes a decision back. */
export const ENGLISH_HYPOTHETICAL =
  /\b(?:if|whether|unless|would|could|might|maybe|perhaps|suppose|imagine|have(?:n['’]t| not)|didn['’]t|(?:before|until|when|once) we|(?:should|can|do) we|let['’]s say|in case|depend\w*|wonder\w*)\b/i

/** A statement that something is not settled. */
export const ENGLISH_OPEN =
  /\b(?:question is (?:if|how|wh\w+)|(?:we|still) (?:still |also )?(?:need|have) to (?:decide|figure out|work out|determine|agree on)|(?:not|it['’]s un) ?(?:yet )?clear (?:if|how|wh\w+)|(?:is|are) still open|we (?:still )?don['’]t (?:yet )?know (?:if|how|wh\w+)|not sure (?:if|how|wh\w+) (?:we|the|this|it|they)|nobody knows)\b/i

/** A question about the conversation itself. */
export const ENGLISH_SMALL_TALK =
  /^(?:did|would|have|are|do|were|can|could|will) you\b|\b(?:hear (?:me|us|you)|how are you|any (?:more |other |further )?(?:questions?|comments?|thoughts?)|any(?:thing|one|body) else|shall we|are (?:you|we) (?:ready|done)|who wants|you know what|is (?:that|it|this) (?:okay|right|clear)|make sense|what do you (?:think|mean)|(?:can|may|could) I|sorry|remember|do you (?:want|mean|see)|why not|so what)\b/i
