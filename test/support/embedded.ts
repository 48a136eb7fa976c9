import { linkModel } from './models.ts'
import { type Place, temporaryFolder } from './process.ts'

/** A data directory without a database, on which a server starts an embedded one, whatever the database of this run. */
export async function embeddedPlace(environment: Record<string, string> = {}): Promise<Place> {
  const dataDir = temporaryFolder()
  await linkModel(dataDir)
  return { environment: { DATA_DIR: dataDir, ...environment }, url: undefined, dataDir }
}
