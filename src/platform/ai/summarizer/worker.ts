import { parentPort } from 'node:worker_threads'
import type { Conversation, Summary } from '../ai.ts'
import { serveThread } from '../thread.ts'
import { summarizeOffline } from './summarize.ts'

export interface SummaryRequest {
  conversation: Conversation
  /** The maximum number of characters to read. Default: the summarizer's own limit. */
  characters?: number
}

export function answerSummary({ conversation, characters }: SummaryRequest): Summary {
  return summarizeOffline(conversation, characters)
}

if (parentPort) serveThread(parentPort, answerSummary)
