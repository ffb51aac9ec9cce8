// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "pipeline.h"

struct slot {
	void *batch;
	bool done;
	int error;
};

/*
 * Batch n is in slot n % nr_slots. The threads have the batches from @finished to @put, and take
 * them in order. The thread that fills batches has the batch @put.
 */
struct pipeline {
	const struct pipeline_ops *ops;
	void *data;
	struct slot *slot;
	unsigned int nr_slots;
	unsigned int wanted;		/* threads, without the one that fills */
	unsigned int nr_threads;	/* those that run */
	pthread_t thread[PIPELINE_THREADS];
	uint64_t finished;
	int error;

	pthread_mutex_t lock;		/* protects what follows, and the slots' results */
	pthread_cond_t work;		/* there is a batch to take, or the end */
	pthread_cond_t done;		/* a batch is done */
	uint64_t put;			/* changed only by the thread that fills */
	uint64_t taken;
	unsigned int nr_started;
	bool end;
};

unsigned int pipeline_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

unsigned int pipeline_batches(unsigned int threads)
{
	/* Each thread works on one batch, and another batch waits for it. */
	return threads < 2 ? 1 : 2 * threads;
}

struct pipeline *pipeline_new(const struct pipeline_ops *ops, void *data, void **batch,
			      unsigned int threads)
{
	struct pipeline *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	if (threads > PIPELINE_THREADS)
		threads = PIPELINE_THREADS;
	p->ops = ops;
	p->data = data;
	p->wanted = threads - 1;
	p->nr_slots = pipeline_batches(threads);
	p->slot = calloc(p->nr_slots, sizeof(*p->slot));
	if (!p->slot) {
		free(p);
		return NULL;
	}
	for (unsigned int i = 0; i < p->nr_slots; i++)
		p->slot[i].batch = batch[i];
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	return p;
}

void pipeline_free(struct pipeline *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->end = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned int i = 0; i < p->nr_threads; i++)
		pthread_join(p->thread[i], NULL);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	pthread_mutex_destroy(&p->lock);
	free(p->slot);
	free(p);
}

static struct slot *slot_of(struct pipeline *p, uint64_t n)
{
	return &p->slot[n % p->nr_slots];
}

static void *run(void *arg)
{
	struct pipeline *p = arg;
	unsigned int worker;

	pthread_mutex_lock(&p->lock);
	worker = p->nr_started++;
	for (;;) {
		struct slot *slot;
		int error;

		while (!p->end && p->taken == p->put)
			pthread_cond_wait(&p->work, &p->lock);
		if (p->end)
			break;
		slot = slot_of(p, p->taken++);
		pthread_mutex_unlock(&p->lock);
		error = p->ops->work(p->data, slot->batch, worker);
		pthread_mutex_lock(&p->lock);
		slot->error = error;
		slot->done = true;
		pthread_cond_signal(&p->done);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Signals go to the thread that fills. If no thread can be started, it works itself. */
static void start(struct pipeline *p)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (p->nr_threads < p->wanted &&
	       !pthread_create(&p->thread[p->nr_threads], NULL, run, p))
		p->nr_threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Finish the oldest batch. */
static void finish_one(struct pipeline *p)
{
	struct slot *slot = slot_of(p, p->finished);
	int error;

	pthread_mutex_lock(&p->lock);
	while (!slot->done)
		pthread_cond_wait(&p->done, &p->lock);
	slot->done = false;
	error = slot->error;
	pthread_mutex_unlock(&p->lock);
	p->finished++;
	if (!p->error)
		p->error = error ? error : p->ops->finish(p->data, slot->batch);
}

int pipeline_get(struct pipeline *p, void **batch)
{
	if (p->put - p->finished == p->nr_slots)
		finish_one(p);
	*batch = slot_of(p, p->put)->batch;
	return p->error;
}

void pipeline_put(struct pipeline *p)
{
	struct slot *slot = slot_of(p, p->put);

	/* A single batch needs no thread. */
	if (p->put == 1)
		start(p);
	if (!p->nr_threads) {
		slot->error = p->ops->work(p->data, slot->batch, 0);
		slot->done = true;
		p->taken = ++p->put;
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->put++;
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
}

int pipeline_flush(struct pipeline *p)
{
	while (p->finished < p->put)
		finish_one(p);
	return p->error;
}
