import type { FastifyInstance } from 'fastify'

/** Returns a function that lists the methods with which a path leads to a route. Call it before the routes are registered. */
export function collectMethods(app: FastifyInstance) {
  const routes: { methods: string[]; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    // The route of preflight requests takes every path.
    if (url !== '*' && !config?.isHidden) routes.push({ methods: [method].flat(), pattern: toPattern(url) })
  })
  return (path: string) => {
    const methods = routes.filter(({ pattern }) => pattern.test(path)).flatMap(route => route.methods)
    return [...new Set(methods)].sort()
  }
}

function toPattern(url: string) {
  const pattern = url
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace('*', '.*')
  return new RegExp(`^${pattern}$`)
}
