import { oneLine } from '../../../contract/text.ts'

/** Lines that programs write between the turns. */
export const NO_SPEECH = [
  /^.{1,80} (?:started|stopped) (?:the )?(?:transcription|recording)\.?$/i,
  /^(?:ACTION ITEM|SCREEN SHARING|HIGHLIGHT|BOOKMARK|QUESTION|INSIGHT)\b.{0,200}(?:- WATCH: https?:\/\/\S+|started screen sharing\b.*)$/,
  /^-{3,}$|^={3,}$|^\*{3,}$|^_{3,}$/,
  /^Transcribed by https?:\/\/\S+$/i,
  /^Transcript saved using .{1,100}$/i
]

const MAX_SHOWN = 80

/** The warning about a line, or a part of a page, that is not speech. */
export function leftOut(line: number | null, text: string) {
  const shown = oneLine(text)
  const short = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : shown
  return `${line === null ? 'A part of the page' : `Line ${line}`} is left out, because it is not speech: ${short}`
}
