import type { ParsedTranscript } from '../transcript.ts'
import { readAssemblyAi } from './assemblyai.ts'
import { readAws } from './aws.ts'
import { readAzure } from './azure.ts'
import { readDeepgram } from './deepgram.ts'
import { readElevenLabs } from './elevenlabs.ts'
import type { JsonRecord } from './fields.ts'
import { readGoogle } from './google.ts'
import { readIbm } from './ibm.ts'
import { readOTranscribe } from './otranscribe.ts'
import { readPodcast } from './podcast.ts'
import { readRevAi } from './rev-ai.ts'
import { readSpeechmatics } from './speechmatics.ts'
import { readUtterances } from './utterances.ts'
import { readWhisper } from './whisper.ts'
import { readYouTube } from './youtube.ts'

interface Reader {
  /** Returns null unless the object has the shape of the tool. */
  read: (json: JsonRecord) => ParsedTranscript | null
  /** The keys that it reads, and those that say the same again. */
  keys: string
}

/** Whisper comes last, because its shapes are the loosest. */
export const READERS: readonly Reader[] = [
  { read: readOTranscribe, keys: '' },
  { read: readPodcast, keys: 'segments' },
  { read: readYouTube, keys: 'events segs pens wsWinStyles wpWinPositions' },
  { read: readElevenLabs, keys: 'words transcripts characters' },
  {
    read: readAws,
    keys: 'results transcripts items alternatives speaker_labels segments channel_labels channels audio_segments Transcript Items'
  },
  { read: readDeepgram, keys: 'results channels alternatives words paragraphs sentences utterances metadata' },
  { read: readSpeechmatics, keys: 'results alternatives metadata transcription_config' },
  { read: readIbm, keys: 'results alternatives timestamps speaker_labels' },
  {
    read: readGoogle,
    keys: 'results alternatives words startTime endTime startOffset endOffset start_time end_time resultEndTime resultEndOffset result_end_time inlineResult transcript'
  },
  { read: readRevAi, keys: 'monologues elements speaker_info' },
  {
    read: readAzure,
    keys: 'recognizedPhrases phrases nBest combinedRecognizedPhrases combinedPhrases words displayWords'
  },
  { read: readAssemblyAi, keys: 'utterances sentences paragraphs words' },
  { read: readUtterances, keys: 'utterances words languages' },
  {
    read: readWhisper,
    keys: 'transcription offsets timestamps tokens speakers timestamp segments words word_segments chunks result params model usage x_groq logprobs languages'
  }
]
