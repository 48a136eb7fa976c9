/** One thing that a server depends on, and whether it works. */
export interface Check {
  check: string
  ok: boolean
  /** The finding, and for a check that failed what to do. It holds no secret. */
  detail: string
}
