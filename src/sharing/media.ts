import type { SharedMediaResponse } from '../contract/sharing.ts'

export interface Recording {
  audioUrl: string | null
  videoUrl: string | null
}

/**
 * Where a recipient finds the recording: the audio, or else the video. This is the one place that turns a recording into
 * a URL for recipients. Undefined where there is none.
 */
export function sharedMedia({ audioUrl, videoUrl }: Recording): SharedMediaResponse | undefined {
  const url = audioUrl ?? videoUrl
  if (url === null) return undefined
  return { kind: audioUrl === null ? 'video' : 'audio', url, expires_at: null, external: true }
}
