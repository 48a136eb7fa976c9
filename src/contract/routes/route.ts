import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Scope } from '../scopes.ts'

/** The shapes of large bodies. */
export type BodyShape = 'PackedDocument' | 'PackedCallPatch' | 'SessionChange' | 'AdminSessionChange' | 'SearchRequest'

/** A route but for its handler. The plugin of its feature registers it; the guard reads its scopes, and the OpenAPI document all of it. */
export interface RouteDescription {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** Its path below `/v1`, or below the path of a user in the admin API. */
  url: string
  bodyLimit?: number
  config: {
    /** Any one of these scopes admits the actor; `public` needs no token. */
    scopes: readonly Scope[] | 'public'
    /** Response headers that refusals of this route have as well. */
    headersOfAll?: readonly string[]
    /** The names of this route's own response headers. `ETag` makes a GET conditional, `Link` names the next page. */
    headers?: readonly string[]
    /** Codes that replace the general ones on this route. */
    codes?: Partial<Record<ErrorCode, ErrorCode>>
    /** True if the route removes NUL and lone surrogates instead of refusing them. */
    repairsText?: boolean
    /** True for a route that shows as an unknown path to those whom it is not for. */
    isHidden?: boolean
    /** The shape of the body, by which a large one is validated in another process. Routes that take more than 256 KiB need it. */
    shape?: BodyShape
    /** The largest number of JSON values in the body, where it differs from the general limit. */
    maxValues?: number
    /** The time for the body to arrive, where it differs from the general one. */
    bodyTimeoutMs?: number
    /** The time for the answer to begin, where it differs from the general one. */
    answerTimeoutMs?: number
    /** The body by content type, where it is not JSON. */
    content?: object
    /** The list of the answer that may have many thousands of entries. */
    longList?: string
    /** The parts that will go. Their answers say so, the document marks them, and the guide to deprecations lists them. */
    deprecations?: readonly Deprecation[]
    openapi?: OpenapiExtras
  }
  schema: Documented | Hidden
}

/** A part of the API that will go, or a whole route. */
export interface Deprecation {
  /** A parameter of the query, or a field of the body or of the answer by its path: `sessions.phone`. Undefined for the whole route. */
  part?: { in: 'query' | 'body' | 'answer'; name: string }
  /** The day of the release that announces it, as 2026-12-01. */
  since: string
  /** The last day on which it is there, at least a year after `since`. */
  until: string
  /** The object of "use": whatever takes its place. */
  instead: string
}

interface Documented {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  params?: z.ZodObject
  querystring?: z.ZodType
  headers?: z.ZodObject
  body?: z.ZodType
  /** A zod shape; or the media types of a file, which the document shows as they are. */
  response: Record<number, z.ZodType | { content: object }>
}

/** A route that the document does not show. */
interface Hidden {
  hide: true
  params: z.ZodObject
  headers: z.ZodObject
}

/** A route for the operator alone, whose key needs no scope. */
export type OperatorRoute = Omit<RouteDescription, 'config'> & { config: Omit<RouteDescription['config'], 'scopes'> }

/** The parts that only the document reads. */
interface OpenapiExtras {
  /** Error codes of this route besides those of every route and `not_found` for a path with a parameter. */
  errors?: readonly ErrorCode[]
  /** An example answer; by media type if there are several. */
  example?: unknown
  /** Examples of the files that an Accept header gets in place of JSON, by media type. */
  files?: Record<string, string>
  /** An example body. */
  request?: object
}
