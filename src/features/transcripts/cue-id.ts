/** The place of a cue in its segment, so that an import joins the cues of one segment again. */
export interface CuePlace {
  /** Counted from 1, as in `part`. */
  segment: number
  part: number
  /** True if a space separated this part from the one before. */
  spaced: boolean
  /** The end of the segment in milliseconds, if the last cue ends at another time. */
  ends: number | null
}

const CUE_ID = /^segment-(\d{1,9})(?:-part-(\d{1,9})(-unspaced)?)?(?:-ends-(\d{1,12}))?$/

/** The identifier of a cue, such as `segment-3` or `segment-3-part-2`. */
export function writeCueId({ segment, part, spaced, ends }: CuePlace) {
  const place = part === 1 ? '' : `-part-${part}${spaced ? '' : '-unspaced'}`
  return `segment-${segment}${place}${ends === null ? '' : `-ends-${ends}`}`
}

/** Returns null for identifiers of other programs. */
export function readCueId(line: string): CuePlace | null {
  const [found, segment, part = '1', unspaced, ends] = CUE_ID.exec(line) ?? []
  if (found === undefined) return null
  return {
    segment: Number(segment),
    part: Number(part),
    spaced: unspaced === undefined,
    ends: ends === undefined ? null : Number(ends)
  }
}
