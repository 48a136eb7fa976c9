import { oneLine } from '../../../contract/text.ts'

/** Lines between the turns that have no words of the meeting. */
const MARKUP = [
  /^-{3,}$|^={3,}$|^\*{3,}$|^_{3,}$/,
  /^Transcribed by https?:\/\/\S+$/i,
  /^Transcript saved using .{1,100}https?:\/\/\S+$/i
]

/** Events that programs write between the turns. */
const EVENTS = [
  /^.{1,80} (?:started|stopped) (?:the )?(?:transcription|recording)\.?$/i,
  /^(?:ACTION ITEM|SCREEN SHARING|HIGHLIGHT|BOOKMARK|QUESTION|INSIGHT)\b.{0,200}(?:- WATCH: https?:\/\/\S+|started screen sharing\b.*)$/
]

const CHAT = /^(?:chat messages|meeting chat)$/i
const MAX_LINE = 300

/** Returns whether a line is markup or an event, and not speech. */
export function readNoSpeech(line: string): 'markup' | 'event' | null {
  const start = line.trim().slice(0, MAX_LINE)
  if (MARKUP.some(pattern => pattern.test(start))) return 'markup'
  return EVENTS.some(pattern => pattern.test(start)) ? 'event' : null
}

/** Cuts the messages of the chat off, which some recorders write below the transcript. */
export function withoutChat(lines: readonly string[]): { lines: readonly string[]; warnings: string[] } {
  const at = lines.findIndex(
    (line, index) => CHAT.test(line.trim()) && readNoSpeech(lines[index - 1] ?? '') === 'markup'
  )
  if (at === -1) return { lines, warnings: [] }
  const messages = lines.slice(at + 1).some(line => line.trim() !== '' && readNoSpeech(line) === null)
  const warning = `Lines ${at + 1} to ${lines.length} are left out, because they are the chat.`
  return { lines: lines.slice(0, at), warnings: messages ? [warning] : [] }
}

const MAX_SHOWN = 80

/** The warning about a line, or a part of a page, that is not speech. */
export function leftOut(line: number | null, text: string) {
  const shown = oneLine(text)
  const short = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : shown
  return `${line === null ? 'A part of the file' : `Line ${line}`} is left out, because it is not speech: ${short}`
}
