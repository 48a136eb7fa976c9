import { createRequire } from 'node:module'
import type * as Orm from 'drizzle-orm'
import type * as NodePostgres from 'drizzle-orm/node-postgres'
import type * as Migrator from 'drizzle-orm/node-postgres/migrator'
import type * as PgCore from 'drizzle-orm/pg-core'

/**
 * The parts of drizzle-orm that are used. Only this file loads it, and as CommonJS: for each import between its ES modules Node would parse the
 * 180 kB of that package's package.json again, which doubles the time that a command takes to start.
 */
const require = createRequire(import.meta.url)

export type SQL = Orm.SQL
export type Param = Orm.Param
export type { NodePgDatabase } from 'drizzle-orm/node-postgres'
export type { AnyPgColumn as Column } from 'drizzle-orm/pg-core'
export const {
  and,
  asc,
  between,
  count,
  DrizzleQueryError,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  max,
  ne,
  notInArray,
  or,
  Param,
  SQL,
  StringChunk,
  sql
}: typeof Orm = require('drizzle-orm')
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
  PgDialect,
  pgTable,
  primaryKey,
  real,
  smallint,
  text,
  timestamp,
  uniqueIndex
}: typeof PgCore = require('drizzle-orm/pg-core')
