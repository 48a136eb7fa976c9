/** The bytes of the smallest container that the server is promised to work in. */
export const CONTAINER_BYTES = 512 * 1024 * 1024

/**
 * The heap that V8 allows itself in a container of that size. On a machine with much memory it collects garbage later, and the server grows beyond what it
 * needs.
 */
export const CONTAINER_HEAP = { NODE_OPTIONS: '--max-old-space-size=256' }
