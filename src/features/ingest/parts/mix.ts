/** The rate of prepared sound, which every speech model has. */
export const RATE = 16_000

/** The level of each piece of a recording in decibels, by which places without speech are found. */
export const LEVELS_PER_SECOND = 10

/** More tracks are not heard: a crafted file may have thousands. */
const MAX_TRACKS = 16

/** A track of sound with its number of channels, undefined where that is not known. */
export interface Track {
  channels: number | undefined
}

/**
 * Returns the filters of ffmpeg that mix all tracks and channels of a recording into one voice, print the time and level of each piece, and
 * end in the outputs `sound` and `samples`, which are the same. The times of the pieces are those of a player; the output has no gaps where the recording has.
 *
 * Before they are added, channels and tracks are turned by different phases, so that what is in opposite phase in two of them is not lost. If
 * there is one track of several channels, the second level of a piece is that of their plain sum, which a transcription server would hear.
 */
export function mixFilters(tracks: readonly Track[]) {
  const mixed = tracks.slice(0, MAX_TRACKS)
  const isAlone = mixed.length === 1
  const voices = mixed.map((track, at) => trackFilters(track, at, mixed.length))
  const inputs = mixed.map((_, at) => `[v${at}]`).join('')
  const sum = isAlone ? '[v0]anull' : `${inputs}amix=inputs=${mixed.length}:normalize=0`
  const measured = [
    sum,
    `asetnsamples=n=${RATE / LEVELS_PER_SECOND}:p=0`,
    'astats=metadata=1:reset=1:measure_overall=none:measure_perchannel=RMS_level',
    'ametadata=mode=print:file=-',
    'pan=mono|c0=c0',
    'asetpts=N/SR/TB',
    'asplit=2[sound][samples]'
  ].join(',')
  return [...voices, measured].join(';')
}

function trackFilters({ channels }: Track, at: number, count: number) {
  // Several tracks are added sample by sample, so each is filled at its gaps. In a single track that would only take memory.
  const clock = count === 1 ? '' : ':async=1:first_pts=0'
  const input = `[0:a:${at}]aresample=${RATE}`
  const turned = count === 1 ? 'anull' : `aphaseshift=shift=${(at / (2 * count)).toFixed(4)}:level=${share(count)}`
  if (channels === 1)
    return `${input},aformat=sample_fmts=flt:channel_layouts=mono,aresample=${RATE}${clock},${turned}[v${at}]`
  const [left, right, other, quarter] = ['l', 'r', 's', 'q'].map(name => `[${name}${at}]`)
  const sides = `${input},aformat=sample_fmts=flt:channel_layouts=stereo,channelsplit=channel_layout=stereo${left}${right}`
  const parts = `${right}asplit=2${other}[t${at}];[t${at}]aphaseshift=shift=0.5${quarter}`
  const heard = `${left}${other}${quarter}amerge=inputs=3,pan=stereo|c0=${share(2)}*c0+${share(2)}*c2|c1=0.5*c0+0.5*c1`
  const end = count === 1 ? 'anull' : `pan=mono|c0=c0,aresample=${RATE}${clock},${turned}`
  return [sides, parts, `${heard},${end}[v${at}]`].join(';')
}

/** Sounds of equal loudness are as loud together as one of them. */
function share(count: number) {
  return Math.sqrt(1 / count).toFixed(4)
}
