// Node's types name what belongs to WebAssembly, and leave its values to the browser's.
declare namespace WebAssembly {
  class Memory {
    constructor(size: { initial: number })
    readonly buffer: ArrayBuffer
    /** By so many pages. */
    grow(pages: number): number
  }
  function instantiate(code: Uint8Array, imports: { env: { memory: Memory } }): Promise<{ instance: { exports: Record<string, unknown> } }>
}
