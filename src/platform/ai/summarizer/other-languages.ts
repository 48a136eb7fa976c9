/** Expressions for all languages without rules of their own; those of several languages stand together. */

export const DECIDED =
  /(?<!\p{L})(?:entschieden|beschlossen|geeinigt|vereinbart|halten wir fest|wir (?:nehmen|bleiben bei|verschieben)|(?:a|avons|ont) (?:décidé|convenu)|(?:hemos|han) (?:decidido|acordado)|decidimos|acordamos|combinamos|abbiamo (?:deciso|concordato|stabilito)|besloten|afgesproken)(?!\p{L})|决定|決定(?!する|しな|していな|していま|できな)|決めました|決まりました|ことに(?:しました|なりました)|合意しました/iu

export const OPEN =
  /(?<!\p{L})(?:unklar|offen|nicht (?:klar|geklärt)|wissen (?:noch )?nicht|pas encore (?:clair|décidé)|ne savons pas|reste à décider|no (?:está|queda) claro|no sabemos|queda por decidir|non è (?:ancora )?chiaro|non sappiamo|não está claro|não sabemos|niet duidelijk|weten (?:nog )?niet)(?!\p{L})|まだ(?:決まって|わかって|分かって)(?:い)?(?:ない|ません)|未定|か(?:わか|分か)りません|还(?:没有|没|不)(?:决定|确定|清楚)/iu

/** A promise by the speaker. */
export const PROMISE =
  /(?<!\p{L})(?:ich (?:werde|muss|kümmere|kläre|schicke|sende|schreibe|mache|rufe|frage)|(?:werde|mache|schicke|kläre) ich|je (?:vais|dois|\p{L}{1,20}rai)|j['’]\p{L}{1,20}rai|voy a|tengo que|\p{L}{1,20}[aei]ré)(?!\p{L})/iu

/** A request to a listener. */
export const REQUEST =
  /(?<!\p{L})(?:kannst du|könntest du|können sie|könnten sie|peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|puedes|podrías|puede usted|podría usted)(?!\p{L})/iu

/** Words before a promise or a request that somebody else made. */
export const QUOTED =
  /(?<!\p{L})(?:sagt(?:e|en)?|gesagt|meint(?:e|en)?|schr(?:ieb|eibt|ieben)|geschrieben|fragt(?:e|en)?|gefragt|dit|disait|écrit|demandé|répondu|dijo|dice|decía|escribió|preguntó|respondió|dicho)(?!\p{L})[^.?!]*$|["“„«‘]/iu
