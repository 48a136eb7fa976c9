/** A query and the one session that answers it. */
export interface Query {
  text: string
  /** The external id of the session. */
  session: string
  /** The instant of the query, if its meaning depends on it. */
  now?: Date
  /** The spans of the session that answer it, in seconds. */
  spans?: { from: number; to: number }[]
}

/** Queries of one kind, all about the sessions of one library. */
export interface QuerySet {
  name: string
  library: string
  queries: Query[]
}

/** An owner's sessions, as import documents. */
export interface Library {
  name: string
  documents: LibraryDocument[]
}

export interface LibraryDocument {
  external_id: string
  title: string
  timestamp: string
  type: string
  duration_seconds?: number
  language?: string
  summary?: string
  segments: { speaker: string; start: number; end: number; text: string }[]
}

const WORDS_PER_SECOND = 2.5

/** Returns segments with times, as if everyone spoke at the same pace, one after the other. */
export function toSegments(turns: readonly { speaker: string; text: string }[]) {
  let seconds = 0
  return turns.map(({ speaker, text }) => {
    const start = seconds
    seconds = Math.round((start + text.split(/\s+/).filter(Boolean).length / WORDS_PER_SECOND) * 10) / 10
    return { speaker, start, end: seconds, text }
  })
}
