import type { TranscriptResponse } from '../../contract/transcript.ts'
import { type Html, html, when } from '../web/html.ts'
import { clockTime } from './dates.ts'

type Segment = NonNullable<TranscriptResponse['segments']>[number]

/** A turn of more lines is cut, so that the browser lays out only the parts in view. */
const MAX_LINES = 40

/** The lines of a transcript, a turn a piece. A line that begins in a new second has the id `t=SECOND`, which links to moments name. */
export function* transcriptLines({ segments, transcript }: TranscriptResponse): Generator<Html> {
  if (segments) yield* timedLines(segments)
  else for (const line of transcript.split('\n')) if (line !== '') yield untimedTurn(line)
}

function* timedLines(segments: readonly Segment[]): Generator<Html> {
  let second = -1
  let speaker: string | undefined
  for (let at = 0; at < segments.length; ) {
    const first = segments[at]
    const lines: Html[] = []
    for (; at < segments.length && segments[at]?.speaker === first?.speaker && lines.length < MAX_LINES; at++) {
      const { start, text } = segments[at] ?? { start: 0, text: '' }
      lines.push(line(start, text, Math.floor(start) !== second))
      second = Math.floor(start)
    }
    yield html`<div class="turn">${when(first?.speaker !== speaker, () => html`<p class="speaker" dir="auto">${first?.speaker}</p>`)}${lines}</div>
`
    speaker = first?.speaker
  }
}

function line(start: number, text: string, isFirst: boolean): Html {
  const second = Math.floor(start)
  return html`<p${when(isFirst, () => html` id="t=${second}"`)} data-s="${start}"><a href="#t=${second}">${clockTime(start)}</a> <span dir="auto">${text}</span></p>`
}

function untimedTurn(text: string): Html {
  const [, speaker = '', words = text] = /^(.{1,200}?): (.*)$/su.exec(text) ?? []
  return html`<div class="turn">${when(speaker, () => html`<p class="speaker" dir="auto">${speaker}</p>`)}<p dir="auto">${words}</p></div>
`
}

/** The speakers of a transcript in the order of their first words. */
export function speakersOf({ segments, transcript }: TranscriptResponse): string[] {
  const names = segments
    ? segments.map(({ speaker }) => speaker)
    : transcript.split('\n').flatMap(text => /^(.{1,200}?): /su.exec(text)?.[1] ?? [])
  return [...new Set(names)]
}
