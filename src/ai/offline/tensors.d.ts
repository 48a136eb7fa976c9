// The library is typed by a package that it does not bring along: declared here is what is used of it.
import '@energetic-ai/core'

declare module '@energetic-ai/core' {
  export interface Tensor {
    readonly shape: number[]
    dataSync(): Float32Array
  }

  export interface GraphModel {
    readonly weights: Record<string, Tensor[]>
  }

  export function tidy<T>(work: () => T): T
  export function keep(tensor: Tensor): Tensor
  export function tensor1d(values: number[], dtype: 'int32'): Tensor
  export function range(start: number, stop: number): Tensor
  export function reshape(tensor: Tensor, shape: number[]): Tensor
  export function transpose(tensor: Tensor, order: number[]): Tensor
  export function slice(tensor: Tensor, begin: number, size: number): Tensor
  export function split(tensor: Tensor, parts: number, axis: number): Tensor[]
  export function concat(tensors: Tensor[], axis: number): Tensor
  export function gather(tensor: Tensor, rows: Tensor): Tensor
  export function add(a: Tensor, b: Tensor | number): Tensor
  export function sub(a: Tensor, b: Tensor): Tensor
  export function mul(a: Tensor, b: Tensor | number): Tensor
  export function sin(tensor: Tensor): Tensor
  export function cos(tensor: Tensor): Tensor
  export function tanh(tensor: Tensor): Tensor
  export function rsqrt(tensor: Tensor): Tensor
  export function softmax(tensor: Tensor): Tensor
  export function mean(tensor: Tensor, axis: number, keepDims: boolean): Tensor
  export function moments(tensor: Tensor, axis: number, keepDims: boolean): { mean: Tensor; variance: Tensor }
  export function matMul(a: Tensor, b: Tensor, transposeA?: boolean, transposeB?: boolean): Tensor
  export const fused: { matMul(product: { a: Tensor; b: Tensor; bias: Tensor; activation: 'linear' | 'relu' }): Tensor }
}
