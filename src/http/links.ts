/** The path that a proxy in front removes: that of the public URL, without a slash at its end. Links without a host begin with it. */
export function basePathOf(publicUrl: string) {
  const { pathname } = new URL(publicUrl)
  return pathname === '/' ? '' : pathname
}

/** The Link header that leads to the next page of a list: the same request with another cursor. */
export function nextLink(publicUrl: string, url: string, cursor: string | number) {
  const { pathname, searchParams } = new URL(url, publicUrl)
  searchParams.set('cursor', String(cursor))
  return `<${publicUrl}${pathname}?${searchParams}>; rel="next"`
}
