FROM node:24-slim

ENV NODE_ENV=production
WORKDIR /app

COPY package.json package-lock.json .npmrc ./
# ONNX Runtime comes with 240 MB for other systems and processors.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force && \
  find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 ! -path "*/linux/$(node -p process.arch)" -exec rm -r {} +

COPY migrations migrations
COPY src src
COPY docs docs

# The program's files stay root's: the server writes to /data and /tmp alone, so that the container can run read-only.
RUN install -d -o node -g node -m 700 /data
VOLUME /data
USER node

# The admin port listens for probes and scrapers of the container network. It is not exposed: publish only 8080.
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=8080 ADMIN_HOST=0.0.0.0 ADMIN_PORT=9090
EXPOSE 8080

HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/readyz`).then(reply => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]

# Without a shell in between, SIGTERM reaches the server.
ENTRYPOINT ["node", "--liftoff-only", "src/cli.ts"]
CMD ["serve"]
