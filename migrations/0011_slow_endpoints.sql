ALTER TABLE "webhook_queue" ADD COLUMN "answer_ms" integer;--> statement-breakpoint
CREATE INDEX "webhook_queue_slow_due" ON "webhook_queue" USING btree ("next_due") WHERE answer_ms > 2000;