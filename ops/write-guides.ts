// Writes the generated tables of the guides. `npm run openapi` runs it.
import { writeFileSync } from 'node:fs'
import { generateGuides } from './guide-tables.ts'

for (const [path, content] of await generateGuides()) writeFileSync(path, content)
process.exit()
