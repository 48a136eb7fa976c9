import { openBundledEmbeddings } from '../../src/platform/ai/embedder/local-embeddings.ts'

// Exits in the middle of embedding.
const [folder = '', afterMs = ''] = process.argv.slice(2)
/** As long as the model reads at once, so that the model takes most of the time. */
const text = 'budget '.repeat(120)
const ai = await openBundledEmbeddings(folder)
await ai.check()
void ai.embed(Array(10_000).fill(text))
setTimeout(() => process.exit(7), Number(afterMs))
