import { parentPort } from 'node:worker_threads'
import { serveThread } from '../thread.ts'
import { prepareBundledModel } from './bundled-file.ts'

if (parentPort) serveThread(parentPort, prepareBundledModel)
