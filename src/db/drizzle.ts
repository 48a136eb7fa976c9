import { createRequire } from 'node:module'
import type * as Orm from 'drizzle-orm'
import type * as NodePostgres from 'drizzle-orm/node-postgres'
import type * as Migrator from 'drizzle-orm/node-postgres/migrator'
import type * as PgCore from 'drizzle-orm/pg-core'

/**
 * What we use of drizzle-orm. It is loaded here alone, and as CommonJS: for each import between its ES modules Node parses the 180 kB of that
 * package's package.json anew, and that was more than half of the time in which a command starts.
 */
const require = createRequire(import.meta.url)

export type { SQL } from 'drizzle-orm'
export type { NodePgDatabase } from 'drizzle-orm/node-postgres'
export const { and, asc, count, desc, eq, gt, gte, inArray, isNull, lt, ne, sql }: typeof Orm = require('drizzle-orm')
export const { drizzle }: typeof NodePostgres = require('drizzle-orm/node-postgres')
export const { migrate }: typeof Migrator = require('drizzle-orm/node-postgres/migrator')
export const {
  bigint,
  boolean,
  customType,
  date,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  timestamp,
  uniqueIndex
}: typeof PgCore = require('drizzle-orm/pg-core')
