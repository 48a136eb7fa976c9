import { expect, test } from 'vitest'
import { ERROR_STATUS, type ErrorCode } from '../../../src/contract/errors.ts'
import { ApiError } from '../../../src/platform/core/api-error.ts'

test.each(Object.entries(ERROR_STATUS))(
  '%s says after how long to try again when, and only when, its status, %i, is 503',
  (code, status) => {
    expect(new ApiError(code as ErrorCode, 'x').retryAfter).toBe(status === 503 ? 2 : undefined)
    expect(new ApiError(code as ErrorCode, 'x', { retryAfter: 60 }).retryAfter).toBe(60)
  }
)
