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

/** A sentence that reads as speech: a stutter, a comma after a word that needs the next one, a cause without its effect. */
export const ENGLISH_ROUGH =
  /\b(\p{L}{1,4}) (?=\1\p{L})(?!(?:a|an|the|in|on|so|be|we|he|it|to|is|no|up|for|you|her|not|over|out|all|any|some|with) )|\b(\p{L}+(?: \p{L}+){0,2})[, ]+\2\b|\b(?:the|an?|of|to|and|but|or|with|for|in|on|is|are|that|we|they|you|it),|^(?:simply|just)? ?because\b|^(?:which|than|of|'cause)\b/iu

/** A sentence in which the speaker began again: "fashion We still", "of a for the". */
export const ENGLISH_TORN =
  /(?<=\p{Ll} )(?:We|Then|Yeah|Nei|It|So|If|But|And|You|They|There|This|That|The|What|Because|He|She|My|Well|No|Not)(?![\p{L}-])|\b(?:the|an?) (?:an?|the|for|of|to|is|we|I|and|in|on|it|are|you|they|that)\b|\b(?:of|for|with|to|at|from) (?:of|for|with|at|from|is|are|and|we|I)\b|\b(?:and|or|but) (?:and|or|but|of)\b|\b(?:I|we|they|you) (?:the|an?|I|we|they|you)\b/u

/** An amount: numbers of two digits, sums of money, number words. */
export const HAS_NUMBER =
  /[%€$£]|\b\d{2,}\b|\b(?:hundred|thousand|million|billion|per ?cent|euros?|pounds?|dollars?)\b/i

/** A sentence about the conversation itself, or about who speaks. */
export const ENGLISH_MEETING =
  /\b(?:agenda|slides?|chat|white ?board|microphones?|power ?point|presentation|my name is|I['’]m (?:the|your|our) \p{L}+|(?:this|next|last|our|the) meeting|meeting minutes|minutes of|mail you|send you|hand over to|questionnaires?)\b/iu

/** A sentence that weighs more: reasons, findings, proposals, amounts. */
export const ENGLISH_TELLING =
  /\b(?:because|important|essential|problem is|propos\w+|suggest\w*|recommend\w*|found (?:out )?that|result\w*|means that|we (?:need|have to|should|must)|instead of|rather than|in order to|concern\w*|require\w*|cost\w*|budget|deadline|target\w*|goal|risk\w*|per ?cent|million|billion|compared|increase\w*|decrease\w*|improve\w*|evidence|according to)\b/i

/** A statement that something is not settled. */
export const ENGLISH_OPEN =
  /\b(?:question is (?:if|how|wh\w+)|(?:we|still) (?:still |also )?(?:need|have) to (?:decide|figure out|work out|determine|agree on)|(?:not|it['’]s un) ?(?:yet )?clear (?:if|how|wh\w+)|(?:is|are) still open|we (?:still )?don['’]t (?:yet )?know (?:if|how|wh\w+)|not sure (?:if|how|wh\w+) (?:we|the|this|it|they)|nobody knows)\b/i

/** A question about the conversation itself. */
export const ENGLISH_SMALL_TALK =
  /^(?:did|would|have|are|do|were|can|could|will) you\b|\b(?:hear (?:me|us|you)|how are you|any (?:more |other |further )?(?:questions?|comments?|thoughts?)|any(?:thing|one|body) else|shall we|are (?:you|we) (?:ready|done)|who wants|you know what|is (?:that|it|this) (?:okay|right|clear)|make sense|what do you (?:think|mean)|(?:can|may|could) I|sorry|remember|do you (?:want|mean|see)|why not|so what)\b/i
