/** Words that recorders and transcription tools put into names of files. */
const OF_TOOLS = wordsOf(
  `untitled transcript transcription transcripts recording recordings record rec audio voice zoom gmt img vid aud ptt wa
  subtitles subtitle captions caption whisper diarized diarization mp3 mp4 m4a wav webm ogg mov vtt srt txt json docx
  aufnahme aufzeichnung sprachmemo unbenannt transkript enregistrement transcripción grabación registrazione gravação`
)
/** Words beside them, which people also write as a title of their own: "Monday meeting", "Session 5". */
const BESIDE = wordsOf(
  `video memo memos note new neue file meeting call conversation session track mic mono stereo mixed output export cc text document default
  copy full final only am pm the of and my at on`
)
/** A date has so many digits. "1:1" and "Q3" are titles. */
const MIN_DIGITS = 6
const DAYS_AND_MONTHS =
  /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?$|^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/

/** Returns whether a title tells nothing of its conversation: "transcript", "Untitled", "GMT20260817-140003 Recording". */
export function isPlaceholderTitle(title: string): boolean {
  const words = title.toLowerCase().match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  const rest = words.filter(word => !/^(?:\p{N}+|[a-z])$/u.test(word))
  const isKnown = (word: string) => OF_TOOLS.has(word) || BESIDE.has(word) || DAYS_AND_MONTHS.test(word)
  if (rest.length > 0) return rest.every(isKnown) && rest.some(word => OF_TOOLS.has(word))
  return title.trim() === '' || title.replace(/\P{N}+/gu, '').length >= MIN_DIGITS
}

function wordsOf(list: string) {
  return new Set(list.split(/\s+/))
}
