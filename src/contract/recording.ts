interface Format {
  /** The kind of a file with this extension, unless its document names another. */
  kind: 'audio' | 'video'
  /** The subtype of its content type. */
  type: string
}

/** The formats of recordings by extension. A file of another extension is a recording if its bytes are one. */
export const RECORDING_FORMATS: Record<string, Format> = {
  mp3: { kind: 'audio', type: 'mpeg' },
  m4a: { kind: 'audio', type: 'mp4' },
  wav: { kind: 'audio', type: 'wav' },
  ogg: { kind: 'audio', type: 'ogg' },
  opus: { kind: 'audio', type: 'ogg' },
  flac: { kind: 'audio', type: 'flac' },
  aac: { kind: 'audio', type: 'aac' },
  aif: { kind: 'audio', type: 'aiff' },
  aiff: { kind: 'audio', type: 'aiff' },
  amr: { kind: 'audio', type: 'amr' },
  caf: { kind: 'audio', type: 'x-caf' },
  m4b: { kind: 'audio', type: 'mp4' },
  mka: { kind: 'audio', type: 'x-matroska' },
  mp2: { kind: 'audio', type: 'mpeg' },
  mpga: { kind: 'audio', type: 'mpeg' },
  oga: { kind: 'audio', type: 'ogg' },
  wma: { kind: 'audio', type: 'x-ms-wma' },
  webm: { kind: 'video', type: 'webm' },
  mp4: { kind: 'video', type: 'mp4' },
  mov: { kind: 'video', type: 'quicktime' },
  mkv: { kind: 'video', type: 'x-matroska' },
  '3gp': { kind: 'video', type: '3gpp' },
  avi: { kind: 'video', type: 'x-msvideo' },
  flv: { kind: 'video', type: 'x-flv' },
  m4v: { kind: 'video', type: 'x-m4v' },
  mpeg: { kind: 'video', type: 'mpeg' },
  mpg: { kind: 'video', type: 'mpeg' },
  ogv: { kind: 'video', type: 'ogg' },
  m2ts: { kind: 'video', type: 'mp2t' },
  mts: { kind: 'video', type: 'mp2t' },
  ts: { kind: 'video', type: 'mp2t' },
  wmv: { kind: 'video', type: 'x-ms-wmv' }
}

/** Returns the extension if it is one of a recording. */
export function recordingExtension(path: string) {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase()
  return extension !== undefined && Object.hasOwn(RECORDING_FORMATS, extension) ? extension : undefined
}

export function isUrl(place: string) {
  // URL.canParse drops line breaks, and takes backslashes for slashes.
  return /^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(place) && URL.canParse(place)
}

/** Returns whether a path names a recording in the folder of its document or below. */
export function isBeside(place: string) {
  if (recordingExtension(place) === undefined || /^[/\\~]|^[a-z][a-z\d+.-]*:|\p{Cc}/iu.test(place)) return false
  return !place.split(/[/\\]/).includes('..')
}
