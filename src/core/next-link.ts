/** The Link header that leads to the next page of a list: the same request with another cursor. */
export function nextLink(publicUrl: string, url: string, cursor: string | number) {
  const { pathname, searchParams } = new URL(url, publicUrl)
  searchParams.set('cursor', String(cursor))
  return `<${publicUrl}${pathname}?${searchParams}>; rel="next"`
}
