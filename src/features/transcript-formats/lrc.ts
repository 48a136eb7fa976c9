import { assignSpeakers } from '../transcripts/speaker-labels.ts'
import { parseClockTime } from './clock-time.ts'
import type { ParsedTranscript, Turn } from './transcript.ts'
import { completeTranscript } from './turns.ts'

const TAG = /^\s*\[(ti|ar|al|au|by|re|ve|la|length|offset|tool|#)\s*:([^\]]{0,300})\]\s*$/i
const TIMES = /^\s*((?:\[\d{1,4}:\d{2}(?:[.:]\d{1,3})?\]\s?)+)/
const WORD_TIME = /<\d{1,4}:\d{2}(?:[.:]\d{1,3})?>/g

/** Returns whether a line is of LRC, the format of lyrics: a tag, such as `[ti:Interview]`. */
export function isLrcTag(line: string) {
  return line.length < 400 && TAG.test(line)
}

/** Reads LRC. A line that is sung several times has several times, and `[offset:…]` counts milliseconds. */
export function parseLrc(content: string): ParsedTranscript {
  const tags = new Map<string, string>()
  const lines: { text: string; starts: number[] }[] = []
  for (const line of content.split(/\r\n|\r|\n/)) {
    const [, tag = '', value = ''] = line.length < 400 ? (TAG.exec(line) ?? []) : []
    const [times = ''] = TIMES.exec(line) ?? []
    const text = line.slice(times.length).replace(WORD_TIME, '')
    if (tag !== '') tags.set(tag.toLowerCase(), value.trim())
    else if (times !== '') lines.push({ text, starts: times.match(/\d+:\d+(?:[.:]\d+)?/g)?.map(startOf) ?? [] })
    else if (text.trim() !== '') lines.push({ text, starts: [] })
  }
  const offset = (Number(tags.get('offset')) || 0) / 1000
  const spoken = assignSpeakers(lines.map(({ text }) => text))
  const turns: Turn[] = lines.flatMap(({ starts }, index) =>
    (starts.length > 0 ? starts : [null]).flatMap(start =>
      (spoken[index] ?? []).map(part => ({ ...part, start: start === null ? null : shifted(start, offset), end: null }))
    )
  )
  return completeTranscript({ turns, title: tags.get('ti') || null, language: tags.get('la') || null })
}

function startOf(time: string) {
  const seconds = parseClockTime(time.replace(/^(\d+:\d+):/, '$1.'))
  return Number.isFinite(seconds) ? seconds : 0
}

/** A positive offset shows the lines earlier. */
function shifted(start: number, offset: number) {
  return Math.max(0, Math.round((start - offset) * 1000) / 1000)
}
