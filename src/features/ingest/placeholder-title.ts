/** Words of names that recorders and transcription tools give to files. */
const MADE_BY_TOOLS = new Set(
  `untitled transcript transcription transcripts recording recordings record rec audio video voice memo memos note new file meeting zoom gmt img vid aud ptt wa
  call conversation session track mic mono stereo mixed output export subtitles subtitle captions caption cc text document default copy
  whisper diarized diarization full final only mp3 mp4 m4a wav webm ogg mov vtt srt txt json docx am pm the of and my at on
  aufnahme aufzeichnung sprachmemo neue unbenannt transkript enregistrement transcripción grabación registrazione gravação`.split(
    /\s+/
  )
)
const DAYS_AND_MONTHS =
  /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?$|^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/
/** Returns whether a title tells nothing of its conversation: "transcript", "Untitled", "GMT20260817-140003 Recording". */
export function isPlaceholderTitle(title: string): boolean {
  const words = title.toLowerCase().match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  return words.every(word => MADE_BY_TOOLS.has(word) || /^(?:\p{N}+|[a-z])$/u.test(word) || DAYS_AND_MONTHS.test(word))
}
