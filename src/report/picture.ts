/** A picture as a data URI that stands in HTML by itself: an uncompressed bitmap, so that no encoder is needed. */

export interface Picture {
  /** Channels (1: grey, 3: red, green, blue), height, width. */
  readonly shape: readonly [number, number, number]
  /** Channel by channel, row by row. */
  readonly values: ArrayLike<number>
  /** The values that are black and white; what lies beyond is cut. */
  readonly range: readonly [number, number]
}

const headerBytes = 54

export function pictureUri({ shape: [channels, height, width], values, range: [low, high] }: Picture): string {
  const rowBytes = Math.ceil((width * 3) / 4) * 4
  const file = new DataView(new ArrayBuffer(headerBytes + rowBytes * height))
  file.setUint16(0, 0x424d) // "BM"
  file.setUint32(2, file.byteLength, true)
  file.setUint32(10, headerBytes, true)
  file.setUint32(14, 40, true) // the second header's own length
  file.setInt32(18, width, true)
  file.setInt32(22, -height, true) // negative: the first row is the top
  file.setUint16(26, 1, true)
  file.setUint16(28, 24, true) // bits a point, as blue, green, red
  const scale = high > low ? 255 / (high - low) : 0
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) {
        const value = values[((channels === 3 ? 2 - c : 0) * height + y) * width + x] ?? 0
        const byte = Math.round(Math.min(255, Math.max(0, (value - low) * scale)))
        file.setUint8(headerBytes + y * rowBytes + x * 3 + c, byte)
      }
    }
  }
  const bytes = new Uint8Array(file.buffer)
  return `data:image/bmp;base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`
}
